import Anthropic from "@anthropic-ai/sdk";
import {
  type Ask,
  answer,
  callTool,
  callTools,
  createAnthropic,
  manualClock,
  type Reply,
  type Script,
  serve,
} from "@palimpsest/provider-simulator";
import { afterAll, describe, expect, test } from "vitest";
import { anthropic } from "../../providers/anthropic.ts";
import { readStream } from "../../providers/read-stream.ts";
import type { SessionEvent } from "../../session-event.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { toolResult } from "../messages.ts";
import { openSession } from "../open-session.ts";
import type { Session } from "../session.ts";
import type { SessionOptions } from "../session-options.ts";

const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const MODEL = "claude-opus-5-5";
const SECTIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
  (number) =>
    `## ${number}. Title\nWhat was done in part ${number}: the loader in src/load.ts was renamed and tested twice.`,
);
const GOOD_SUMMARY = `<analysis>Going through it.</analysis>\n<summary>\n${SECTIONS.join("\n")}\n</summary>`;

const hang: Reply = { ...answer("Too late."), fault: { kind: "stream-stall", afterEvents: 1, forMs: 600_000 } };

interface World {
  readonly windowTokens?: number;
  /** What the model answers when it is asked for a summary. */
  readonly summary?: Reply | ((ask: Ask) => Reply);
  /** What it answers otherwise. */
  readonly reply?: Reply;
  readonly options?: Partial<SessionOptions<never, never, never>>;
}

async function open({
  windowTokens = 50_000,
  summary = answer(GOOD_SUMMARY),
  reply = answer("Done."),
  options = {},
}: World = {}) {
  const asked: string[] = [];
  const script: Script = (ask) => {
    if (!ask.userText.includes("nine sections")) return reply;
    asked.push(ask.userText);
    return typeof summary === "function" ? summary(ask) : summary;
  };
  const server = await serve({ faces: [createAnthropic({ script })] });
  closers.push(() => server.close());
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const provider = anthropic(client, { models: { [MODEL]: { windowTokens } } });
  const events: SessionEvent[] = [];
  const store = memoryStore({ leaseMs: 0 });
  const session = await openSession({
    store,
    provider,
    model: MODEL,
    system: "Be brief.",
    id: "s",
    onEvent: (event) => events.push(event),
    ...(options as object),
  });
  const send = async (of = session) => {
    const request = await of.prepare();
    return { request, recorded: await of.record(await readStream(provider.send(request)), request) };
  };
  return { session, send, events, asked, provider, store };
}

async function fill(session: Session | unknown, send: () => Promise<unknown>, rounds: number): Promise<void> {
  const to = session as { append(text: string): Promise<unknown> };
  for (let round = 0; round < rounds; round++) {
    await to.append(`Message ${round} about src/load.ts: ${`word${round} `.repeat(1_000)}`);
    await send();
  }
}

describe("a compaction", () => {
  test("by hand folds the conversation into the summary that the model writes on its cached prompt", async () => {
    const { session, send, events } = await open();
    await fill(session, send, 10);
    const before = session.view.size().tokens;
    const outcome = await session.compact({ instructions: "Mind the loader." });
    expect(outcome).toMatchObject({ kind: "compacted", rung: "fork", trigger: "manual", modelCalls: 1, declined: [] });
    expect(session.view.size().tokens).toBeLessThan(before * 0.8);
    await session.append("Go on.");
    const { request } = await send();
    const text = JSON.stringify(request.messages);
    expect(text).toContain("the loader in src/load.ts was renamed");
    expect(text).toContain("Message 0 about");
    const [compaction] = events.filter(({ kind }) => kind === "compaction-started");
    expect(compaction).toMatchObject({ trigger: "manual", tokensBefore: before });
    expect(events.filter(({ kind }) => kind === "compaction-ended")).toHaveLength(1);
  });

  test("that was taken back does not come again before the user's next message", async () => {
    const { session, send, events } = await open();
    const started = () => events.filter(({ kind }) => kind === "compaction-started").length;
    for (let round = 0; round < 40 && started() === 0; round++) await fill(session, send, 1);
    const [compaction] = await session.history.explain();
    await session.history.restore(compaction!.boundary, "taken back");
    await session.prepare();
    expect(started()).toBe(1);
    await session.append("Go on.");
    await session.prepare();
    expect(started()).toBe(2);
  });

  test("that is asked for while another runs begins when that one has ended", async () => {
    const { session, send, events } = await open();
    await fill(session, send, 10);
    await Promise.all([session.compact(), session.compact()]);
    const steps = events.map(({ kind }) => kind).filter((kind) => /^compaction-(started|ended)$/.test(kind));
    expect(steps).toEqual(["compaction-started", "compaction-ended", "compaction-started", "compaction-ended"]);
  });

  test("comes by itself before the window is full, and keeps the user's new words", async () => {
    const { session, send, events } = await open();
    await fill(session, send, 40);
    const ended = events.filter((event) => event.kind === "compaction-ended");
    expect(ended.length).toBeGreaterThan(1);
    expect(ended.every(({ outcome }) => outcome.kind === "compacted")).toBe(true);
    expect((await session.history.explain()).length).toBe(ended.length);
  });

  test("comes when it pays, in the midst of a turn only above a size of its own", async () => {
    const settings = { "compaction.economicFromTokens": 20_000, "compaction.economicInTurnFromTokens": 40_000 };
    const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
    const options = { tools, settings, settingsFrom: { environment: {} } };
    const { session, send, events } = await open({
      windowTokens: 200_000,
      reply: callTools(callTool("look", {})),
      options,
    });
    await session.append("Look at all parts of src/load.ts.");
    const begun = () => events.filter((event) => event.kind === "compaction-started");
    while (begun().length === 0 && session.view.size().tokens < 100_000) {
      const { recorded } = await send();
      for (const { id } of recorded.calls) await session.append(toolResult(id, "part ".repeat(3_000)));
    }
    const [started] = begun();
    expect(started!.tokensBefore).toBeGreaterThanOrEqual(40_000);
    expect(started!.tokensBefore).toBeLessThan(60_000);
  });

  test.each([
    ["nothing", answer(" ")],
    ["an error text", answer("API Error: 500 internal server error")],
    ["a refusal", answer("I'm sorry, but I can't help with that.")],
    ["a scratchpad only", answer("<analysis>Only thoughts.</analysis>")],
  ])("does without a model that answers %s", async (_, summary) => {
    const { session, send } = await open({ summary });
    await fill(session, send, 10);
    const outcome = await session.compact();
    expect(outcome).toMatchObject({ kind: "compacted", rung: "digest" });
    await session.append("Go on.");
    const { request } = await send();
    expect(JSON.stringify(request.messages)).toContain("Message 0 about");
  });

  test("gives up a model that hangs, and tells meanwhile that it is still at work", async () => {
    const clock = manualClock(0);
    const { session, send, events } = await open({ summary: hang, options: { clock } as never });
    await fill(session, send, 10);
    const compaction = session.compact();
    await clock.pass(3_600_000, compaction);
    expect(await compaction).toMatchObject({ kind: "compacted", rung: "digest" });
    const alive = events.filter((event) => event.kind === "compaction-progressed" && event.phase === "summarizing");
    expect(alive.length).toBeGreaterThan(5);
  });

  test("is nothing where little was said, and does not count as a failure", async () => {
    const { session, send } = await open();
    await session.append("Hello");
    await send();
    for (let tries = 0; tries < 4; tries++) {
      expect(await session.compact()).toMatchObject({ kind: "nothing", cause: "too-small" });
    }
    await fill(session, send, 10);
    expect(await session.compact()).toMatchObject({ kind: "compacted", rung: "fork" });
  });

  test("of one part leaves the other as it is", async () => {
    const { session, send } = await open();
    await fill(session, send, 8);
    const middle = await session.append("From here on.");
    await send();
    await fill(session, send, 4);
    await expect(session.compact({ from: 3, upTo: 9 })).rejects.toThrow("one at a time");
    expect(await session.compact({ from: middle[0]! })).toMatchObject({ kind: "compacted", variant: "from" });
    const kept = JSON.stringify((await continueTurn(session, send)).request.messages);
    expect(kept).toContain("word7 ".repeat(900));
    expect(await session.compact({ upTo: middle[0]! })).toMatchObject({ kind: "compacted", variant: "up_to" });
    const left = JSON.stringify((await continueTurn(session, send)).request.messages);
    expect(left).not.toContain("word7 ".repeat(900));
  });
});

async function continueTurn<Sent>(
  session: { append(text: string): Promise<unknown> },
  send: () => Promise<Sent>,
): Promise<Sent> {
  await session.append("Go on.");
  return send();
}
