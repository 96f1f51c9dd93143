import { callTool, callTools, createAnthropic, manualClock, type Reply } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { whenCold } from "../policy/rules/clear.ts";
import { type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import type { SessionEvent } from "../session-event.ts";
import type { SessionOptions } from "../state/options.ts";
import { memoryResults, memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open.ts";
import type { Session } from "./session.ts";
import { clearingBy } from "./testing/policies.ts";

const done: Reply = { words: [{ kind: "text", text: "Done." }] };
const read = (path: string): Reply => callTools(callTool("Read", { file_path: path }));

/** A session with a listener, and a function that answers a request. */
async function begin(options: Partial<SessionOptions<never, never, never>> = {}) {
  const clock = manualClock();
  const events: SessionEvent[] = [];
  let reply = done;
  const face = createAnthropic({ clock, script: () => reply });
  const session: Session = await openSession({
    store: memoryStore({ clock }),
    id: "s",
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
    clock,
    tools: [{ name: "Read", inputSchema: { type: "object" } }],
    system: "You are a careful engineer. ".repeat(500),
    policy: clearingBy(whenCold({ keepNewest: 3 })),
    settingsFrom: { environment: {} },
    onEvent: (event) => void events.push(event),
    ...(options as object),
  });
  async function ask(next: Reply, tookMs = 0) {
    reply = next;
    const request = await session.prepare();
    clock.advance(tookMs);
    const answered = face.answer(request);
    if (answered.kind === "refused") throw new Error(answered.message);
    const response = answered.response as unknown as AnthropicResponse;
    const { calls } = await session.record(response, request);
    return { ids: calls.map(({ id }) => id), again: () => session.record(response, request) };
  }
  const of = <Kind extends SessionEvent["kind"]>(kind: Kind) =>
    events.filter((event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind);
  return { session, clock, ask, of, events };
}

test("sends events to a later listener until it is removed, and ignores its errors", async () => {
  const { session, ask, events } = await begin();
  const heard: string[] = [];
  const listener = ({ kind }: SessionEvent): void => {
    heard.push(kind);
    throw new Error("not heard");
  };
  await session.append("One.");
  await ask(done);
  const [stopOne, stopTwo] = [session.events.listen(listener), session.events.listen(listener)];
  stopTwo();
  await session.append("Two.");
  await ask(done);
  stopOne();
  await session.append("Three.");
  await ask(done);
  expect(heard).toEqual(["turn-started", "response-recorded"]);
  expect(events).toHaveLength(6);
});

describe("a listener", () => {
  test("receives each turn and each response once, with usage and cost", async () => {
    const { session, ask, of } = await begin();
    await session.append("Read it.");
    const { ids, again } = await ask(read("a.ts"), 1_500);
    await again();
    await session.append(toolResult(ids[0]!, "content"));
    await ask(done);
    expect(of("turn-started")).toHaveLength(1);
    const [first, second, ...more] = of("response-recorded");
    expect(more).toEqual([]);
    expect(first).toMatchObject({ session: "s", provider: "anthropic", source: "main", stop: "tools" });
    expect(first!.atMs - first!.requestedAtMs).toBe(1_500);
    expect(second).toMatchObject({ text: "Done.", requestModel: "claude-opus-5-5", stop: "end" });
    expect(second!.cacheReadTokens).toBeGreaterThan(0);
    const { priceUsd } = await session.ledger.cost();
    expect(first!.priceUsd! + second!.priceUsd!).toBeCloseTo(priceUsd, 12);
    expect(of("cache-broken")).toEqual([]);
  });

  test("receives a cache break with the cause from the ledger", async () => {
    const { session, clock, ask, of } = await begin();
    await session.append("Hello");
    await ask(done);
    clock.advance(9 * 60_000);
    await session.append("Again");
    await ask(done);
    const lines = await Array.fromAsync(session.ledger.lines());
    const { atMs: _, ...found } = lines.at(-1)!.break!;
    expect(of("cache-broken")).toEqual([{ kind: "cache-broken", session: "s", atMs: clock.now(), ...found }]);
    expect(found.causes).toEqual(["pause"]);
  });

  test("receives stored results: alone, streamed, and together", async () => {
    const { session, ask, of } = await begin();
    await session.append("Read them.");
    const calls = Array.from({ length: 6 }, (_, index) => callTool("Read", { file_path: `${index}` }));
    const { ids } = await ask(callTools(...calls));
    const [alone] = await session.append(toolResult(ids[0]!, "x".repeat(60_000)));
    async function* output() {
      yield "y".repeat(70_000);
    }
    const [streamed] = await session.append(toolResult(ids[1]!, output()));
    expect(of("result-stored")).toMatchObject([
      { entry: alone, tool: "Read", bytes: 60_000, way: "alone" },
      { entry: streamed, tool: "Read", bytes: 70_000, way: "alone" },
    ]);
    const [large] = await session.append(toolResult(ids[2]!, "z".repeat(49_999)));
    await session.append(["a", "b", "c", "d", ...ids.slice(3).map((id) => toolResult(id, "w".repeat(49_998)))]);
    await ask(done);
    expect(of("result-stored").slice(2)).toMatchObject([
      { entry: large, tool: "Read", bytes: 49_999, way: "together" },
    ]);
  });

  test("receives storing failures of every kind, and the model sees the beginning of the results", async () => {
    const files = { ...memoryResults(), create: () => Promise.reject(new Error("the disk is full")) };
    const { session, ask, of } = await begin({ files, settings: { compaction: "off" } });
    await session.append("x".repeat(150_000));
    const { ids } = await ask(callTools(...Array.from({ length: 7 }, () => callTool("Read", {}))));
    async function* output() {
      yield "y".repeat(110_000);
    }
    await session.append(toolResult(ids[0]!, "x".repeat(60_000)));
    await session.append(toolResult(ids[1]!, output()));
    for (const id of ids.slice(2)) await session.append(toolResult(id, "w".repeat(49_000)));
    await ask(done);
    const emitted = of("storing-failed").map(({ bytes, shown }) => [bytes, shown]);
    expect(emitted.slice(0, 3)).toEqual([
      [150_000, "beginning"],
      [60_000, "all"],
      [110_000, "beginning"],
    ]);
    // Together they are too large, and stay in the request unchanged.
    expect(emitted.slice(4)).toEqual([60_000, 49_000, 49_000].map((bytes) => [bytes, "all"]));
  });

  test("receives storing failures of both kinds", async () => {
    const files = { ...memoryResults(), create: () => Promise.reject(new Error("the disk is full")) };
    const { session, ask, of } = await begin({ files });
    await session.append("Read them.");
    const { ids } = await ask(callTools(callTool("Read", {}), callTool("Read", {})));
    await session.append(toolResult(ids[0]!, "x".repeat(60_000)));
    async function* output() {
      yield "y".repeat(70_000);
    }
    await session.append(toolResult(ids[1]!, output()));
    expect(of("result-stored")).toEqual([]);
    expect(of("storing-failed").map(({ bytes, error }) => [bytes, error])).toEqual([
      [60_000, "the disk is full"],
      [70_000, "the disk is full"],
    ]);
  });

  test("receives clearing and recall", async () => {
    const { session, clock, ask, of } = await begin();
    await session.append("Read them all.");
    let first: number | undefined;
    for (let index = 0; index < 8; index++) {
      const { ids } = await ask(read(`${index}.ts`));
      const [entry] = await session.append(toolResult(ids[0]!, `content of ${index} `.repeat(500)));
      first ??= entry;
    }
    await ask(done);
    clock.advance(6 * 60_000);
    await session.append("Go on.");
    await ask(done);
    expect(of("results-cleared")).toMatchObject([
      { rule: "when-cold", by: "session", trigger: "auto", count: 5, because: expect.stringContaining("6 minutes") },
    ]);
    expect(of("results-cleared")[0]!.tokensFreed).toBeGreaterThan(5_000);
    await session.recall({ entry: first! });
    await session.recall({ search: "content" });
    await session.recall({ entry: 9_999 });
    expect(of("recalled").map(({ by, outcome }) => [by, outcome])).toEqual([
      ["entry", "text"],
      ["search", "entries"],
      ["entry", "unknown"],
    ]);
  });
});

test.each([
  ["throws", () => fail()],
  ["rejects", async () => fail()],
])("loses no entries because of a listener that %s", async (_, onEvent) => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  const { session, ask } = await begin({ onEvent });
  await session.append("Hello");
  await ask(done);
  await session.append("Again");
  await ask(done);
  expect(session.ledger.totals().responses).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("unhandledRejection", onRejection);
  expect(rejections).toEqual([]);
});

function fail(): never {
  throw new Error("a listener's own trouble");
}
