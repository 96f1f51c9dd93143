import { expect, test } from "vitest";
import { EMPTY_LEDGER } from "../cost/ledger.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { EMPTY_CARRIED_STATE } from "../state/carried.ts";
import type { CompactionPoint } from "../state/ports.ts";
import { isUpdateDue, notesPolicy, notesSituation, type SituationSources } from "./when.ts";

const { settings } = resolveSettings({});
const common = { approval: "automatic", profile: "balanced" } as const;

/** A conversation of 95,000 tokens in a large window, while the model is at work. */
function situationWith(compaction: CompactionPoint) {
  const call = { kind: "message", from: 2, to: 2, blocks: [{ kind: "tool_call" }] };
  const previous = { atMs: 0, lifetimeMs: 3_600_000, cacheReadTokens: 90_000, cacheWriteTokens: 5_000 };
  return notesSituation({
    snapshot: { items: [call], carriedState: EMPTY_CARRIED_STATE, tokensOf: () => 80_000, sizeTokens: 95_000 },
    ledger: { ...EMPTY_LEDGER, sources: { main: { previous } } },
    prices: undefined,
    compaction,
    settings,
    notesTokens: 0,
    nowMs: 1_000,
  } as unknown as SituationSources)!;
}

test.each<[string, CompactionPoint, number | undefined, string]>([
  ["economic", { policy: "economic", atTokens: 100_000, ...common }, 100_000, "due"],
  [
    "within a turn",
    { policy: "economic", atTokens: 90_000, withinTurnAtTokens: 150_000, ...common },
    150_000,
    "not-due",
  ],
  ["window", { policy: "window", atTokens: 967_000, ...common }, 967_000, "not-due"],
  ["off", { policy: "off", profile: "balanced" }, undefined, "not-due"],
])("near is measured against the point at which compaction really happens: %s", (_, point, thresholdTokens, kind) => {
  const situation = situationWith(point);
  expect(situation.thresholdTokens).toBe(thresholdTokens);
  expect(isUpdateDue(situation, notesPolicy(settings)).kind).toBe(kind);
});
