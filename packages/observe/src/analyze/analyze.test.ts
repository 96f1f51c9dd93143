import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecordedBlock, RecordedEntry, RecordedMessage, RecordedUsage } from "../transcripts/readers/recorded.ts";
import { type Analysis, analyze } from "./analyze.ts";

const PRICES = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 8 };
const MINUTE_MS = 60_000;
const FILE = "const line = 1;\n".repeat(100);

const run = (
  entries: readonly RecordedEntry[],
  known: { prices?: typeof PRICES } = { prices: PRICES },
): Promise<Analysis> => {
  async function* stream(): AsyncGenerator<RecordedEntry> {
    yield* entries;
  }
  return analyze(stream(), { factsOf: () => known });
};

/** A session in the making: each entry follows the one before. */
function story() {
  const entries: RecordedEntry[] = [{ kind: "session", agent: "pi", id: "s", startedAtMs: 0, cwd: "/work" }];
  let [number, nowMs, parentId] = [0, 0, undefined as string | undefined];
  const add = (fields: Partial<RecordedMessage>): string => {
    const id = `m${number++}`;
    entries.push({
      kind: "message",
      id,
      ...(parentId === undefined ? {} : { parentId }),
      branch: "main",
      atMs: nowMs,
      role: "user",
      origin: "human",
      blocks: [{ kind: "text", text: "Please look at it." }],
      ...fields,
    });
    parentId = id;
    return id;
  };
  const emitted = {
    entries,
    say: (fields: Partial<RecordedMessage> = {}) => add(fields),
    wait(ms: number) {
      nowMs += ms;
    },
    respond(read: number, written: number, blocks: readonly RecordedBlock[], usage: Partial<RecordedUsage> = {}) {
      nowMs += 5_000;
      const responseId = `r${number}`;
      const model = usage.model ?? "m";
      add({ role: "assistant", origin: "model", blocks, responseId, model });
      entries.push({
        kind: "usage",
        responseId,
        branch: "main",
        atMs: nowMs,
        model,
        freshTokens: 0,
        cacheReadTokens: read,
        cacheWriteTokens: written,
        outputTokens: 100,
        outputCount: "final",
        ...usage,
      });
    },
    read(callId: string, read: number, written: number, path = "/a.ts", content = FILE) {
      emitted.respond(read, written, [{ kind: "tool_call", callId, name: "Read", input: { file_path: path } }]);
      add({ origin: "tool", blocks: [{ kind: "tool_result", callId, content, status: "ok" }] });
    },
    compact() {
      const id = `m${number++}`;
      entries.push({
        kind: "compaction",
        id,
        ...(parentId === undefined ? {} : { parentId }),
        branch: "main",
        atMs: nowMs,
        trigger: "auto",
        kept: { kind: "nothing" },
      });
      parentId = id;
      add({ origin: "summary", blocks: [{ kind: "text", text: "What was done so far." }] });
    },
  };
  return emitted;
}

describe("analyze", () => {
  test("tells what filled the window and what it cost, part by part", async () => {
    const { say, read, respond, entries } = story();
    say();
    read("c1", 0, 20_000);
    respond(20_000, 700, [{ kind: "text", text: "Done." }]);
    const { totals, parts, points, session } = await run(entries);
    expect(session).toMatchObject({ agent: "pi", cwd: "/work" });
    const usd = (20_000 * 5 + 20_000 * 0.4 + 700 * 5 + 200 * 20) / 1e6;
    expect(totals).toMatchObject({
      responses: 2,
      cacheReadTokens: 20_000,
      cacheWriteTokens: 20_700,
      unpricedResponses: 0,
    });
    expect(totals.usd).toBeCloseTo(usd, 9);
    expect(totals.perfectUsd).toBeCloseTo(usd, 9);
    expect(parts[0]).toMatchObject({ name: "fixed", kind: "fixed" });
    expect(parts.find(({ kind }) => kind === "results")).toMatchObject({ name: "results of Read", tool: "Read" });
    expect(points[1]!.parts["results of Read"]).toBeGreaterThan(400);
    expect(points.map(({ usd: price }) => price)).toEqual([expect.closeTo(0.102, 6), expect.closeTo(0.0135, 6)]);
  });

  test("a pause that was too long is a break with a price, and what it cost is lost", async () => {
    const { say, respond, wait, entries } = story();
    say();
    respond(0, 50_000, [{ kind: "text", text: "Done." }]);
    wait(7 * MINUTE_MS);
    say();
    respond(0, 50_200, [{ kind: "text", text: "Done again." }]);
    const { breaks, lost, totals } = await run(entries);
    expect(breaks).toMatchObject([
      { point: 1, causes: ["pause"], from: "front", rebilledTokens: 50_000, lifetimeMs: 300_000 },
    ]);
    expect(breaks[0]!.usd).toBeCloseTo((50_000 * 4.6) / 1e6, 6);
    expect(lost.pause).toMatchObject({ breaks: 1, tokens: 50_000 });
    expect(totals.usd - totals.perfectUsd).toBeCloseTo(lost.pause!.usd, 9);
  });

  test("an hour's lifetime forgives the pause: what is lost then, the record does not explain", async () => {
    const { say, respond, wait, entries } = story();
    say();
    respond(0, 50_000, [{ kind: "text", text: "Done." }], { cacheWrite1hTokens: 50_000 });
    wait(7 * MINUTE_MS);
    say();
    respond(0, 50_200, [{ kind: "text", text: "Done." }]);
    expect((await run(entries)).breaks).toMatchObject([{ causes: ["unknown"], lifetimeMs: 3_600_000 }]);
  });

  test("files that are read twice are duplicates; behind a compaction they were missed in its summary", async () => {
    const { say, read, respond, compact, entries } = story();
    say();
    read("c1", 0, 20_000);
    read("c2", 20_000, 700);
    read("c3", 20_700, 700, "/b.ts");
    respond(21_400, 700, [{ kind: "text", text: "Half way." }]);
    compact();
    read("c4", 20_000, 300);
    respond(20_300, 700, [{ kind: "text", text: "Done." }]);
    const { duplicateReads, compactions, breaks } = await run(entries);
    expect(duplicateReads).toMatchObject({ reads: 4, duplicates: 1, files: [{ path: "/a.ts", reads: 1 }] });
    expect(duplicateReads.tokens).toBeGreaterThan(400);
    expect(duplicateReads.usd).toBeGreaterThan((duplicateReads.tokens * 5) / 1e6);
    expect(compactions).toMatchObject([
      {
        point: 4,
        trigger: "auto",
        tokensBefore: 22_200,
        tokensAfter: 20_300,
        readAgain: { reads: 1, files: [{ path: "/a.ts" }] },
      },
    ]);
    expect(breaks).toMatchObject([{ causes: ["compaction"] }]);
  });

  test("a result costs with every request that carries it", async () => {
    const { say, read, respond, entries } = story();
    say();
    read("c1", 0, 20_000, "/big.ts", FILE.repeat(10));
    for (let round = 0; round < 10; round++) respond(20_000 + 6_000 * round, 6_000, [{ kind: "text", text: "x" }]);
    const [first] = (await run(entries)).expensiveResults;
    expect(first).toMatchObject({ tool: "Read", about: "/big.ts", point: 1, requests: 10 });
    expect(first!.usd).toBeGreaterThan((first!.tokens * (5 + 9 * 0.4)) / 1e6 - 1e-9);
  });

  test("without prices there are tokens; with the agent's own reckoning there are dollars", async () => {
    const { say, respond, entries } = story();
    say();
    respond(0, 10_000, [{ kind: "text", text: "Done." }]);
    const unpriced = await run(entries, {});
    expect(unpriced.totals).toMatchObject({ usd: 0, unpricedResponses: 1 });
    expect(unpriced.points[0]).toEqual(expect.not.objectContaining({ usd: expect.anything() }));
    const reckoned = entries.map((entry) => (entry.kind === "usage" ? { ...entry, costUsd: 0.25 } : entry));
    const { totals, parts } = await run(reckoned, {});
    expect(totals.usd).toBeCloseTo(0.25, 9);
    expect(parts.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(0.25, 9);
  });

  test("a count from before the end of a response is estimated, and said to be", async () => {
    const { say, respond, entries } = story();
    say();
    respond(0, 10_000, [{ kind: "text", text: "word ".repeat(500) }], { outputTokens: 3, outputCount: "provisional" });
    const { totals } = await run(entries);
    expect(totals.estimatedOutputs).toBe(1);
    expect(totals.outputTokens).toBeGreaterThan(400);
  });

  test("subagents are counted beside it, inherited responses not at all; going back is a cause", async () => {
    const { say, respond, entries } = story();
    const first = say();
    respond(0, 30_000, [{ kind: "text", text: "One." }]);
    say();
    respond(30_000, 200, [{ kind: "text", text: "Two." }]);
    say({ parentId: first });
    respond(20_000, 9_000, [{ kind: "text", text: "Three." }]);
    entries.push({
      ...(entries.findLast(({ kind }) => kind === "usage") as RecordedUsage),
      branch: "sidechain",
      responseId: "x",
    });
    const { breaks, subagents, totals } = await run(entries);
    expect(breaks).toMatchObject([{ causes: ["rewind"], from: "conversation" }]);
    expect(subagents).toMatchObject({ responses: 1, cacheReadTokens: 20_000 });
    expect(totals.responses).toBe(3);
  });

  test("of nothing there is nothing to say", async () => {
    const { totals, points, parts } = await run([{ kind: "damage", line: 1, reason: "not-json" }]);
    expect([totals.responses, points, parts]).toEqual([0, [], []]);
  });

  test("for any session: the parts of a window add up to what was counted, and their prices to what was paid", async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant("respond" as const),
        read: fc.nat(90_000),
        written: fc.nat(40_000),
        output: fc.nat(3_000),
      }),
      fc.record({ do: fc.constantFrom("say", "compact", "clear", "back"), ms: fc.nat(900_000) }),
      fc.record({ do: fc.constant("call" as const), path: fc.constantFrom("/a", "/b"), words: fc.nat(3_000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const emitted = story();
        const ids = [emitted.say()];
        let calls = 0;
        for (const one of steps) {
          if (one.do === "respond")
            emitted.respond(one.read, one.written, [{ kind: "text", text: "Yes." }], { outputTokens: one.output });
          else if (one.do === "call") emitted.read(`c${calls++}`, 30_000, 100, one.path, "word ".repeat(one.words));
          else if (one.do === "compact") emitted.compact();
          else if (one.do === "clear") {
            emitted.entries.push({
              kind: "microcompaction",
              id: `k${emitted.entries.length}`,
              branch: "main",
              atMs: 0,
              clearedCallIds: [`c${calls - 1}`],
            });
          } else {
            emitted.wait(one.ms);
            ids.push(emitted.say(one.do === "back" ? { parentId: ids[one.ms % ids.length]! } : {}));
          }
        }
        const { points, parts, totals } = await run(emitted.entries);
        for (const point of points) {
          const counted = point.freshTokens + point.cacheReadTokens + point.cacheWriteTokens;
          const sum = Object.values(point.parts).reduce((total, tokens) => total + tokens, 0);
          expect(Math.abs(sum - counted)).toBeLessThanOrEqual(Object.keys(point.parts).length);
          expect(Object.values(point.parts).every((tokens) => tokens >= 0)).toBe(true);
        }
        expect(parts.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(totals.usd, 6);
        expect(totals.perfectUsd).toBeLessThanOrEqual(totals.usd + 1e-9);
      }),
      { numRuns: 150 },
    );
  });
});
