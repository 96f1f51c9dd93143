import type { ReplayedRequest, ReplayRun } from "@palimpsest/observe/replay";
import { expect, test } from "vitest";
import { chargeRun, outputSums } from "./charge-run.ts";
import type { SessionFacts } from "./to-facts.ts";

const request = (source: ReplayedRequest["source"], more: Partial<ReplayedRequest> = {}): ReplayedRequest => ({
  source,
  freshTokens: 0,
  cacheReadTokens: 1_000,
  cacheWriteTokens: 100,
  outputTokens: 10,
  ...more,
});
const NEEDS = { needs: 0, met: 0, strict: 0, lines: 0, linesMet: 0, refetches: 0 };
const run = (requests: readonly ReplayedRequest[], compactedAt: readonly number[] = []): ReplayRun => {
  return { requests, compactedAt, cleared: 0, waitedMs: 0, thinkingSent: undefined, needs: NEEDS };
};
const facts = (outputTokens: readonly (number | null)[]): SessionFacts => {
  return {
    agent: "claude-code",
    rounds: outputTokens.length,
    userMessages: 1,
    together: { readRounds: 5, savedRounds: 2 },
    outputTokens,
    rereadTokens: 500,
  };
};

test("output is that of the recording, or grows as that of other responses does", () => {
  const charged = chargeRun(
    run([request("conversation"), request("summary"), request("conversation")]),
    facts([70, null]),
    {
      outputRatio: 1.5,
    },
  );
  expect(charged.map(({ outputTokens }) => outputTokens)).toEqual([70, 10, 15]);
  expect(outputSums(run([request("conversation"), request("conversation")]), facts([70, null]))).toEqual({
    recorded: 70,
    replayed: 10,
  });
});

test("after a compaction, two files are read again: two requests, and their text until the next compaction", () => {
  const replayed = run(
    [0, 1, 2, 3].map(() => request("conversation")),
    [1, 3],
  );
  const charged = chargeRun(replayed, facts([1, 1, 1, 1]), { outputRatio: 1 });
  expect(charged.map(({ source }) => source)).toEqual([
    "conversation",
    "conversation",
    "refetch",
    "refetch",
    "conversation",
    "conversation",
    "refetch",
    "refetch",
  ]);
  expect(charged.map(({ cacheReadTokens }) => cacheReadTokens)).toEqual([
    1_000, 1_000, 1_100, 1_600, 2_000, 1_000, 1_100, 1_600,
  ]);
  expect(charged.map(({ cacheWriteTokens }) => cacheWriteTokens)).toEqual([100, 100, 500, 500, 100, 100, 500, 500]);
});

test("where the cache was cold, what was read again is written again, with the lifetime of the rest", () => {
  const cold = request("conversation", { cacheReadTokens: 0, cacheWriteTokens: 900, cacheWrite1hTokens: 900 });
  const charged = chargeRun(run([request("conversation"), cold], [0]), facts([1, 1]), { outputRatio: 1 });
  expect(charged.at(-1)).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 1_900, cacheWrite1hTokens: 1_900 });
  const headFor1h = { ...cold, cacheWrite1hTokens: 400 };
  const other = chargeRun(run([request("conversation"), headFor1h], [0]), facts([1, 1]), { outputRatio: 1 });
  expect(other.at(-1)).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 1_900, cacheWrite1hTokens: 400 });
});
