import { expect, test } from "vitest";
import { replay } from "./replay.ts";
import type { RebuiltBlock, RecordedRequest } from "./requests.ts";
import { fidelityOf, scoreSession } from "./score.ts";

const MINUTE_MS = 60_000;
const TERMS = { messageMarks: 1, sharedPrefix: "on-its-own" } as const;

/** A session of calls and results: a head of 30,000 tokens, 10,000 of them shared, then 1,000 tokens a request. */
function session(pausesMs: number[], blocksPerRequest = 2): RecordedRequest[] {
  const blocks: RebuiltBlock[] = [{ key: "task", role: "user", kind: "text", estimate: 10 }];
  let sentAtMs = 0;
  return pausesMs.map((pauseMs, index) => {
    sentAtMs += pauseMs;
    if (index > 0) {
      for (const role of ["assistant", "user"] as const) {
        for (let part = 0; part < blocksPerRequest / 2; part++) {
          blocks.push({ key: `${role} ${index} ${part}`, role, kind: "text", estimate: 50 });
        }
      }
    }
    const contextTokens = 30_000 + index * 1_000;
    return {
      blocks: [...blocks],
      sentAtMs,
      endedAtMs: sentAtMs,
      contextTokens,
      changes: [],
      endsTurn: false,
      answerKeys: [],
      position: index,
      usage: {
        kind: "usage",
        responseId: `r${index}`,
        branch: "main",
        atMs: sentAtMs,
        outputTokens: 1,
        outputCount: "final",
        freshTokens: 0,
        cacheReadTokens: index === 0 ? 10_000 : contextTokens - 1_000,
        cacheWriteTokens: index === 0 ? 20_000 : 1_000,
      },
    };
  });
}

const reads = (requests: RecordedRequest[], options: Parameters<typeof replay>[1] = TERMS): number[] =>
  replay(requests, options).map(({ readTokens }) => Math.round(readTokens));

test("every request is as large as the provider said", () => {
  for (const [index, { readTokens, writtenTokens }] of replay(session([0, 1, 2, 3]), TERMS).entries()) {
    expect(readTokens + writtenTokens).toBeCloseTo(30_000 + index * 1_000);
  }
});

test("an append-only session reads what it had; a pause beyond the lifetime reads nothing", () => {
  const requests = session([0, MINUTE_MS, MINUTE_MS, 6 * MINUTE_MS, MINUTE_MS]);
  expect(reads(requests)).toEqual([0, 30_000, 31_000, 0, 33_000]);
});

test("the shared part of the system prompt is found warm where others keep it warm", () => {
  const requests = session([0, MINUTE_MS, 6 * MINUTE_MS]);
  expect(reads(requests, { messageMarks: 1, sharedPrefix: "kept-warm" })).toEqual([10_000, 30_000, 10_000]);
});

test("more than twenty new blocks lose the conversation, unless the message before is marked too", () => {
  const requests = session([0, MINUTE_MS, MINUTE_MS], 24);
  expect(reads(requests)).toEqual([0, 10_000, 10_000]);
  expect(reads(requests, { messageMarks: 2, sharedPrefix: "on-its-own" })[2]).toBeGreaterThan(30_000);
});

test("a compaction keeps the system prompt", () => {
  const requests = session([0, MINUTE_MS, MINUTE_MS]);
  const summary: RebuiltBlock = { key: "summary", role: "user", kind: "text", estimate: 100 };
  requests[2] = { ...requests[2]!, blocks: [summary], changes: ["compaction"], contextTokens: 12_000 };
  expect(reads(requests)).toEqual([0, 30_000, 10_000]);
});

test("the size of the system prompt is learned from a miss inside the lifetime, never below what is shared", () => {
  const learn = (read: number): number[] => {
    const requests = session([0, MINUTE_MS, MINUTE_MS, MINUTE_MS]);
    const summary = (key: string): RebuiltBlock => ({ key, role: "user", kind: "text", estimate: 100 });
    for (const index of [2, 3]) {
      const { usage } = requests[index]!;
      requests[index] = {
        ...requests[index]!,
        changes: ["compaction"],
        blocks: [summary(`summary ${index}`)],
        contextTokens: 40_000,
        usage: { ...usage, cacheReadTokens: read, cacheWriteTokens: 40_000 - read },
      };
    }
    return reads(requests);
  };
  expect(learn(25_000)[3]).toBe(25_000);
  expect(learn(9_000)[3]).toBe(10_000);
});

test("scores: the simulator is right where the rule is not, and misses are told apart", () => {
  const requests = session([0, MINUTE_MS, MINUTE_MS, MINUTE_MS]);
  // After a compaction the system prompt of 10,000 tokens was read; later everything was, without a reason, lost.
  const compacted = requests[2]!;
  requests[2] = {
    ...compacted,
    changes: ["compaction"],
    blocks: [{ key: "summary", role: "user", kind: "text", estimate: 100 }],
    contextTokens: 15_000,
    usage: { ...compacted.usage, cacheReadTokens: 10_000, cacheWriteTokens: 5_000 },
  };
  const lost = requests[3]!;
  requests[3] = {
    ...lost,
    blocks: [...requests[2].blocks, { key: "more", role: "assistant", kind: "text", estimate: 10 }],
    contextTokens: 16_000,
    usage: { ...lost.usage, cacheReadTokens: 0, cacheWriteTokens: 16_000 },
  };
  const scored = scoreSession("source", requests, replay(requests, TERMS), 1);
  expect(scored.map(({ miss }) => miss)).toEqual(["none", "explained", "unexplained"]);
  expect(fidelityOf(scored, "simulated")).toMatchObject({
    requests_within_5pct: 66.67,
    write_total_error_pct_explained: 0,
  });
  expect(fidelityOf(scored, "baseline").requests_within_5pct).toBe(33.33);
  // The miss without a cause is left out of one figure only; that with a cause stays in both.
  expect(fidelityOf(scored, "simulated").write_total_error_pct_all).toBe(-68.18);
  expect(fidelityOf(scored, "baseline").write_total_error_pct_explained).toBe(-83.33);
});
