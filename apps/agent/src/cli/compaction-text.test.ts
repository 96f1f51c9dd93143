import { expect, test } from "vitest";
import { compactionRows } from "./compaction-text.ts";

test("the rows say where it is compacted, while the model works, too, and why", () => {
  const rows = compactionRows({
    policy: "economic",
    atTokens: 100_000,
    withinTurnAtTokens: 150_000,
    approval: "asks",
    profile: "balanced",
  });
  expect(rows).toEqual([
    ["compaction at", "100,000 tokens, after asking you"],
    ["", "150,000 tokens while the model works"],
    ["because", "from there on it saves money"],
    ["profile", "balanced"],
  ]);
});

test("a policy that is held says what holds it; one that is off compacts never by itself", () => {
  const full = { policy: "held", atTokens: 160_000, approval: "automatic", profile: "economy" } as const;
  expect(compactionRows({ ...full, heldBy: "restored" })).toContainEqual([
    "because",
    "you took a compaction back: only a full window makes another",
  ]);
  expect(compactionRows({ policy: "off", profile: "quality" })[0]).toEqual(["compaction at", "never by itself"]);
});
