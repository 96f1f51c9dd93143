import { expect, test } from "vitest";
import { compactionRows } from "./context.ts";

test("compactionRows says when and why the conversation is compacted, even during a turn", () => {
  const rows = compactionRows({
    policy: "economic",
    atTokens: 100_000,
    withinTurnAtTokens: 150_000,
    approval: "asks",
    profile: "balanced",
  });
  expect(rows).toEqual([
    ["compaction at", "100,000 tokens, after asking you"],
    ["", "150,000 tokens during a turn"],
    ["because", "from that size on, compacting saves money"],
    ["profile", "balanced"],
  ]);
});

test("compactionRows explains a paused policy, and says if compaction is off", () => {
  const full = { policy: "held", atTokens: 160_000, approval: "automatic", profile: "economy" } as const;
  expect(compactionRows({ ...full, heldBy: "restored" })).toContainEqual([
    "because",
    "you undid a compaction: only a full window triggers another one",
  ]);
  expect(compactionRows({ policy: "off", profile: "quality" })[0]).toEqual([
    "compaction at",
    "only with /compact (automatic compaction is off)",
  ]);
});
