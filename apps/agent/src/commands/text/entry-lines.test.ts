import type { Entry } from "palimpsest/store-parts";
import { expect, test } from "vitest";
import { readTranscript } from "../../workspace/read-transcript.ts";
import { entryLines } from "./entry-lines.ts";

const figures = { unit: "usd", costNow: 0, costLater: 0, savesNow: 0, savesLater: 1, net: 1 };
const decided = {
  rule: "economic",
  level: "if-it-pays",
  because: "economic pays: 104,000 tokens, and saving starts at 100,000",
  figures,
  considered: [],
  before: { atMs: 0, tokens: 98_000, compactsAtTokens: 100_000, because: "no rule makes a proposal" },
};
const standing = {
  ...{ userMessages: 0, spokenAt: 0, calls: 0, overflows: 0, automatic: "on" },
  ...{ pins: [], said: [], agents: [], readers: {}, marks: {}, takenBack: [], collected: {} },
  breaker: { kind: "closed", failures: 0 },
  economicBreaker: { kind: "closed", failures: 0 },
  turn: { phase: "none", cuts: 0, calls: [] },
  chain: { boundary: 0, boundaries: 0, turns: 0 },
};
const boundary = (compaction: object): Entry => ({
  ...{ sequence: 1, parent: 0, kind: "boundary", version: 1, atMs: 0, digest: "d", hash: "h" },
  payload: JSON.stringify({
    ...{ from: 1, to: 1, reason: "compacted", outline: [] },
    with: [
      {
        ...{ role: "user", origin: "summary", provenance: { kind: "summary" } },
        blocks: [{ kind: "text", text: "What happened so far." }],
      },
    ],
    state: { configuration: 1, calibration: {}, ledger: {}, standing },
    compaction: {
      ...{ trigger: "auto", reason: "economic", variant: "full", attempts: [], messages: 2, parts: [], modelCalls: 1 },
      ...{ summary: { way: "fork", form: "coding", met: true }, tokensBefore: 104_000, tokensAfter: 30_000 },
      ...compaction,
    },
  }),
});

const REASONS = [
  "Why: economic pays: 104,000 tokens, and saving starts at 100,000",
  "Why not earlier: at 98,000 tokens, nothing was done (no rule makes a proposal); the policy expected to compact at 100,000",
];

test("entryLines begins a compaction with its reason, and why it did not happen earlier", () => {
  const [, ...lines] = entryLines(boundary({ decided }), 12)!.split("\n");
  expect(lines.slice(0, 4)).toEqual([...REASONS, "", "What happened so far."]);
  expect(entryLines(boundary({ trigger: "manual" }), 12)).toContain(
    "Why: the user or the program asked for it\n\nWhat",
  );
});

test("readTranscript begins the text of a compaction with the same lines", async () => {
  const entry = boundary({ decided });
  const log = { head: async () => ({ sequence: 1, hash: "h" }), read: async () => [entry] };
  const [shown] = await readTranscript(log as never);
  expect(shown!.text.split("\n").slice(0, 2)).toEqual(REASONS);
});
