import { answer, callTool, cutStream, inOrder, type Script, stallStream, think } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { WORLD_NAMES, type WorldName } from "../providers/testing/worlds.ts";
import type { SessionEvent } from "../session-event.ts";
import type { SessionOptions } from "../state/options.ts";
import type { QueryEvent } from "./permission.ts";
import { type QueryOptions, query } from "./query.ts";
import { openWorld, runTurn } from "./testing/open-world.ts";

async function open(
  script: Script,
  world?: WorldName,
  options: Partial<SessionOptions<unknown, unknown, unknown>> = {},
) {
  const events: SessionEvent[] = [];
  const opened = await openWorld(script, world, { ...options, onEvent: (event) => void events.push(event) });
  const interrupted = () => events.filter((event) => event.kind === "answer-interrupted");
  const bodies = () => opened.sent().map(({ body }) => JSON.parse(body) as unknown);
  return { ...opened, interrupted, bodies };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Runs a turn and aborts it soon after the event that `stopAt` selects. */
function run({ session, clock }: Opened, options: Partial<QueryOptions>, stopAt?: (event: QueryEvent) => boolean) {
  const stop = new AbortController();
  const turn = query(session, { clock, random: () => 0.5, signal: stop.signal, ...options });
  return runTurn(turn, clock, (event) => {
    if (stopAt?.(event)) setTimeout(() => stop.abort(), 50);
  });
}

const isText = ({ kind }: QueryEvent): boolean => kind === "text";
const LONG = `I was about to say this ${"at length ".repeat(20)}`;
const stalled = stallStream(6, 60_000);
/** The services that report the input usage at the start of a stream. */
const REPORT_INPUT_FIRST: readonly WorldName[] = ["Anthropic", "Gemini"];

describe.each(WORLD_NAMES)("%s", (world) => {
  test("keeps text before an abort in view with a marker, and prices it", async () => {
    const opened = await open(inOrder([{ ...answer(LONG), fault: stalled }]), world);
    const outcome = await run(opened, { prompt: "Hello" }, isText);
    expect(outcome).toMatchObject({ kind: "aborted", rounds: 0 });
    const [event, ...more] = opened.interrupted();
    expect(more).toEqual([]);
    expect(event).toMatchObject({ view: "kept", estimated: REPORT_INPUT_FIRST.includes(world) ? "output" : "all" });
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

  test("omits incomplete thinking and calls, and tells the model which calls did not run", async () => {
    const words = [...answer("Let me look.").words, callTool("weather", { city: "x".repeat(2_000) })];
    // Gemini sends calls whole.
    const reply = think("Where is it?", { words, fault: stallStream(world === "Gemini" ? 2 : 14, 60_000) });
    const parameters = world === "Anthropic" ? { thinking: { type: "adaptive" } } : {};
    const tools = [
      { name: "weather", description: "Weather.", inputSchema: { type: "object" }, execute: async () => "Rain." },
    ];
    const opened = await open(inOrder([reply]), world, { parameters });
    await run(opened, { prompt: "Hello", tools }, ({ kind }) => kind === "tool_call");
    expect(opened.interrupted()).toMatchObject([{ calls: ["weather"], text: "Let me look." }]);
    expect(opened.session.view.openCalls()).toEqual([]);
    expect(await run(opened, { prompt: "Go on.", tools })).toMatchObject({ kind: "done" });
    const next = JSON.stringify(opened.bodies().at(-1));
    expect(next).toContain("The tool calls that you had begun (weather) were not run.");
    expect(next).not.toMatch(/Where is it|xxxxx/);
  });

  test("leaves a marker without a price if nothing has arrived", async () => {
    const opened = await open(inOrder([{ ...answer(LONG), fault: stallStream(0, 60_000) }]), world);
    const outcome = await run(opened, { prompt: "Hello" }, ({ kind }) => kind === "request-started");
    expect(outcome).toMatchObject({ kind: "aborted", usage: { priceUsd: 0 } });
    expect(opened.interrupted()).toMatchObject([{ text: "", view: "kept" }]);
    expect(await run(opened, { prompt: "Hello again" })).toMatchObject({ kind: "done" });
    expect(JSON.stringify(opened.bodies().at(-1))).toContain(
      "You were interrupted here, before you had said anything.",
    );
  });

  test("prices a broken attempt, and omits its text from a later aborted answer", async () => {
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

  test("keeps visible text if all attempts fail", async () => {
    const broken = { ...answer("Said before the line broke. ".repeat(20)), fault: cutStream(6) };
    const opened = await open(inOrder([broken, broken]), world);
    const outcome = await run(opened, { prompt: "Hello", retries: { maxAttempts: 2 } });
    expect(outcome).toMatchObject({ kind: "failed", tries: 2 });
    expect(opened.interrupted().map(({ view }) => view)).toEqual(["left-out", "kept"]);
    expect(await run(opened, { prompt: "What did you say?" })).toMatchObject({ kind: "done" });
    expect(JSON.stringify(opened.bodies().at(-1))).toMatch(/Said before.*was interrupted here/);
  });
});

test("records an answer if the consumer stops in the middle", async () => {
  const opened = await open(inOrder([{ ...answer(LONG), fault: stalled }]));
  const { session, clock } = opened;
  for await (const event of query(session, { clock, prompt: "Hello" })) if (event.kind === "text") break;
  expect(opened.interrupted()).toMatchObject([{ view: "kept", text: expect.stringContaining("I was") }]);
});

test("prices and measures the input by the report of the service", async () => {
  const long = "A long story about many things. ".repeat(1_000);
  const opened = await open(inOrder([answer("Yes."), { ...answer(LONG), fault: stalled }]));
  await run(opened, { prompt: long });
  await run(opened, { prompt: "And now?" }, isText);
  const { outcome } = opened.sent().at(-1)!;
  const [event] = opened.interrupted();
  const { freshTokens, cacheReadTokens, cacheWriteTokens } = event!.used!;
  expect(outcome).toMatchObject({ kind: "answered", usage: { cacheReadTokens } });
  expect(cacheReadTokens).toBeGreaterThan(5_000);
  // The size is the reported input plus an estimate of the text and the marker.
  const { tokens } = opened.session.view.size();
  expect(tokens).toBeGreaterThan(freshTokens + cacheReadTokens + cacheWriteTokens);
  expect(tokens).toBeLessThan(freshTokens + cacheReadTokens + cacheWriteTokens + 300);
});

test("charges an interrupted answer of a fork to its parent as an estimate", async () => {
  const opened = await open(inOrder([answer("Yes."), { ...answer(LONG), fault: stalled }]));
  await run(opened, { prompt: "Hello" });
  const fork = await opened.session.fork({ source: "side" });
  await run({ ...opened, session: fork }, { prompt: "Beside that?" }, isText);
  const { bySource } = await opened.session.ledger.cost();
  expect(bySource["side"]).toMatchObject({ responses: 1, estimatedResponses: 1 });
  expect(bySource["side"]!.priceUsd).toBeGreaterThan(0);
});
