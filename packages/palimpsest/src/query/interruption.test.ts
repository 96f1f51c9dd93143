import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  callTool,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  cutStream,
  inOrder,
  manualClock,
  type Script,
  serve,
  stallStream,
  think,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { anthropic } from "../providers/anthropic.ts";
import { openaiChat, openaiResponses } from "../providers/openai.ts";
import type { Provider } from "../providers/provider.ts";
import { openSession } from "../session/open-session.ts";
import type { SessionOptions } from "../session/session-options.ts";
import type { SessionEvent } from "../session-event.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { type QueryOptions, query } from "./query.ts";
import type { QueryEvent } from "./query-event.ts";

const WORLDS = ["Anthropic", "OpenAI Responses", "OpenAI Chat"] as const;
type World = (typeof WORLDS)[number];
type AnyProvider = Provider<unknown, unknown, unknown>;

async function open(
  script: Script,
  world: World = "Anthropic",
  options: Partial<SessionOptions<unknown, unknown, unknown>> = {},
) {
  const faces = {
    Anthropic: createAnthropic,
    "OpenAI Responses": createOpenAiResponses,
    "OpenAI Chat": createOpenAiChat,
  };
  const server = await serve({ faces: [faces[world]({ script })] });
  onTestFinished(() => server.close());
  const provider = {
    Anthropic: () => anthropic(new Anthropic({ apiKey: "none", baseURL: server.url })),
    "OpenAI Responses": () => openaiResponses(new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1` })),
    "OpenAI Chat": () => openaiChat(new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1` })),
  }[world]() as AnyProvider;
  const model = world === "Anthropic" ? "claude-opus-5-5" : "gpt-6-sol";
  const clock = manualClock(1_000_000);
  const events: SessionEvent[] = [];
  const session = await openSession({
    store: memoryStore({ leaseMs: 0 }),
    id: "s",
    provider,
    model,
    clock,
    settingsFrom: { environment: {} },
    ...options,
    onEvent: (event) => void events.push(event),
  });
  const interrupted = () => events.filter((event) => event.kind === "answer-interrupted");
  const bodies = () => server.recorder.exchanges.map(({ body }) => JSON.parse(body) as unknown);
  return { session, provider, clock, interrupted, bodies, exchanges: () => server.recorder.exchanges };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Runs a turn; it is aborted soon after the event that `stopAt` names. */
async function run(
  { session, clock }: Opened,
  options: Partial<QueryOptions>,
  stopAt?: (event: QueryEvent) => boolean,
) {
  const stop = new AbortController();
  const turn = query(session, { clock, random: () => 0.5, signal: stop.signal, ...options });
  for (;;) {
    const next = await turn.next();
    if (next.done === true) return next.value;
    const { value } = next;
    if (stopAt?.(value)) setTimeout(() => stop.abort(), 50);
    if (value.kind === "retry-waiting") setImmediate(() => clock.advance(value.waitMs));
  }
}

const isText = ({ kind }: QueryEvent): boolean => kind === "text";
const LONG = `I was about to say this ${"at length ".repeat(20)}`;
const stalled = stallStream(6, 60_000);

describe.each(WORLDS)("%s", (world) => {
  test("what was said before an abort stays in view with a marker, and is priced", async () => {
    const opened = await open(inOrder([{ ...answer(LONG), fault: stalled }]), world);
    const outcome = await run(opened, { prompt: "Hello" }, isText);
    expect(outcome).toMatchObject({ kind: "aborted", rounds: 0 });
    const [event, ...more] = opened.interrupted();
    expect(more).toEqual([]);
    expect(event).toMatchObject({ view: "kept", estimated: world === "Anthropic" ? "output" : "all" });
    expect(event!.text).toMatch(/^I was about to say/);
    expect(event!.priceUsd).toBeGreaterThan(0);
    expect(outcome.usage).toMatchObject({ responses: 1, estimatedResponses: 1, priceUsd: event!.priceUsd });
    expect((await opened.session.ledger.cost()).bySource["main"]).toMatchObject({ estimatedUsd: event!.priceUsd });

    expect(await run(opened, { prompt: "Go on." })).toMatchObject({ kind: "done" });
    const next = JSON.stringify(opened.bodies().at(-1));
    expect(next).toContain(JSON.stringify(event!.text).slice(1, -1));
    expect(next.indexOf("was interrupted here and is incomplete")).toBeGreaterThan(next.indexOf("about to say"));
    expect(next.indexOf("Go on.")).toBeGreaterThan(next.indexOf("was interrupted here"));
  });

  test("thinking and calls that were not finished are left out, and the model is told which were not run", async () => {
    const words = [...answer("Let me look.").words, callTool("weather", { city: "x".repeat(2_000) })];
    const reply = think("Where is it?", { words, fault: stallStream(14, 60_000) });
    const parameters = world === "Anthropic" ? { thinking: { type: "adaptive" } } : {};
    const tools = [{ name: "weather", description: "Weather.", input: { type: "object" }, run: async () => "Rain." }];
    const opened = await open(inOrder([reply]), world, { parameters });
    await run(opened, { prompt: "Hello", tools }, ({ kind }) => kind === "tool_call");
    expect(opened.interrupted()).toMatchObject([{ calls: ["weather"], text: "Let me look." }]);
    expect(opened.session.view.openCalls()).toEqual([]);
    expect(await run(opened, { prompt: "Go on.", tools })).toMatchObject({ kind: "done" });
    const next = JSON.stringify(opened.bodies().at(-1));
    expect(next).toContain("The tool calls that you had begun (weather) were not run.");
    expect(next).not.toMatch(/Where is it|xxxxx/);
  });

  test("an abort before anything arrived leaves a marker and no price", async () => {
    const opened = await open(inOrder([{ ...answer(LONG), fault: stallStream(0, 60_000) }]), world);
    const outcome = await run(opened, { prompt: "Hello" }, ({ kind }) => kind === "request-started");
    expect(outcome).toMatchObject({ kind: "aborted", usage: { priceUsd: 0 } });
    expect(opened.interrupted()).toMatchObject([{ text: "", view: "kept" }]);
    expect(await run(opened, { prompt: "Hello again" })).toMatchObject({ kind: "done" });
    expect(JSON.stringify(opened.bodies().at(-1))).toContain(
      "You were interrupted here, before you had said anything.",
    );
  });

  test("text of a try that broke is not part of the answer that was aborted later, and is paid for", async () => {
    const opened = await open(
      inOrder([
        { ...answer("The first try. ".repeat(20)), fault: cutStream(5) },
        { ...answer(LONG), fault: stalled },
      ]),
      world,
    );
    let starts = 0;
    await run(opened, { prompt: "Hello" }, (event) => {
      if (event.kind === "request-started") starts++;
      return starts === 2 && event.kind === "text";
    });
    const [broken, aborted] = opened.interrupted();
    expect(broken).toMatchObject({ view: "left-out", source: "retries" });
    expect(aborted!.text).toMatch(/^I was about/);
    const { bySource } = await opened.session.ledger.cost();
    expect(bySource["retries"]!.priceUsd).toBeGreaterThan(0);
    await run(opened, { prompt: "Go on." });
    expect(JSON.stringify(opened.bodies().at(-1))).not.toContain("The first try");
  });

  test("a stream that breaks for good keeps what was shown", async () => {
    const broken = { ...answer("Said before the line broke. ".repeat(20)), fault: cutStream(6) };
    const opened = await open(inOrder([broken, broken]), world);
    const outcome = await run(opened, { prompt: "Hello", retries: { maxAttempts: 2 } });
    expect(outcome).toMatchObject({ kind: "failed", tries: 2 });
    expect(opened.interrupted().map(({ view }) => view)).toEqual(["left-out", "kept"]);
    expect(await run(opened, { prompt: "What did you say?" })).toMatchObject({ kind: "done" });
    expect(JSON.stringify(opened.bodies().at(-1))).toMatch(/Said before.*was interrupted here/);
  });
});

test("who stops pulling in the middle of an answer has it recorded all the same", async () => {
  const opened = await open(inOrder([{ ...answer(LONG), fault: stalled }]));
  const { session, clock } = opened;
  for await (const event of query(session, { clock, prompt: "Hello" })) if (event.kind === "text") break;
  expect(opened.interrupted()).toMatchObject([{ view: "kept", text: expect.stringContaining("I was") }]);
});

test("the input is priced as the service billed it, and is the size that is known afterwards", async () => {
  const long = "A long story about many things. ".repeat(1_000);
  const opened = await open(inOrder([answer("Yes."), { ...answer(LONG), fault: stalled }]));
  await run(opened, { prompt: long });
  await run(opened, { prompt: "And now?" }, isText);
  const { outcome } = opened.exchanges().at(-1)!;
  const [event] = opened.interrupted();
  const { freshTokens, cacheReadTokens, cacheWriteTokens } = event!.used!;
  expect(outcome).toMatchObject({ kind: "answered", usage: { cacheReadTokens } });
  expect(cacheReadTokens).toBeGreaterThan(5_000);
  // The words and the marker are added by estimate to the input that was reported.
  const { tokens } = opened.session.view.size();
  expect(tokens).toBeGreaterThan(freshTokens + cacheReadTokens + cacheWriteTokens);
  expect(tokens).toBeLessThan(freshTokens + cacheReadTokens + cacheWriteTokens + 300);
});

test("an interrupted answer of a fork is in its parent's ledger, marked as an estimate", async () => {
  const opened = await open(inOrder([answer("Yes."), { ...answer(LONG), fault: stalled }]));
  await run(opened, { prompt: "Hello" });
  const fork = await opened.session.fork({ source: "side" });
  await run({ ...opened, session: fork }, { prompt: "Beside that?" }, isText);
  const { bySource } = await opened.session.ledger.cost();
  expect(bySource["side"]).toMatchObject({ responses: 1, estimatedResponses: 1 });
  expect(bySource["side"]!.priceUsd).toBeGreaterThan(0);
});
