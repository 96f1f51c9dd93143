import { expect, test } from "vitest";
import type { Analysis } from "./analysis.ts";
import { NOTHING_SPENT } from "./spent.ts";
import { addAnalysis, NO_SESSIONS } from "./sum-analyses.ts";

const part = (name: string, usd: number) => ({
  name,
  kind: "user" as const,
  addedTokens: 1,
  sentTokens: 10,
  outputTokens: 2,
  usd,
});
const analysis: Analysis = {
  startedAtMs: 0,
  endedAtMs: 1,
  subagents: NOTHING_SPENT,
  points: [],
  breaks: [],
  expensiveResults: [],
  damagedLines: 3,
  totals: { ...NOTHING_SPENT, responses: 4, usd: 2, perfectUsd: 1 },
  parts: [part("user", 1.5), part("calls", 0.5)],
  tools: [{ name: "Read", tokens: 100, requests: 4, usd: 0.2, calls: 1 }],
  lost: { pause: { breaks: 1, tokens: 100, usd: 1 } },
  duplicateReads: { reads: 5, duplicates: 1, tokens: 50, usd: 0.1, files: [] },
  compactions: [
    { atMs: 0, point: 1, trigger: "auto", tokensBefore: 9, readAgain: { reads: 2, tokens: 7, usd: 0.2, files: [] } },
  ],
};

test("everything adds up, part by part and cause by cause", () => {
  const other = { ...analysis, parts: [part("calls", 9)], lost: { model: { breaks: 1, tokens: 1, usd: 1 } } };
  const sum = [analysis, analysis, other].reduce(addAnalysis, NO_SESSIONS);
  expect(sum).toMatchObject({
    sessions: 3,
    compactions: 3,
    damagedLines: 9,
    totals: { responses: 12, usd: 6, perfectUsd: 3 },
    parts: [
      { name: "calls", usd: 10, sentTokens: 30 },
      { name: "user", usd: 3, addedTokens: 2 },
    ],
    tools: [{ name: "Read", tokens: 100, requests: 12, usd: expect.closeTo(0.6), calls: 3 }],
    lost: { pause: { breaks: 2, tokens: 200, usd: 2 }, model: { breaks: 1 } },
    duplicateReads: { reads: 15, duplicates: 3, tokens: 150 },
    readAgain: { reads: 6, tokens: 21 },
  });
});
