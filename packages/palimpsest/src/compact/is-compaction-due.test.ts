import { expect, test } from "vitest";
import { EMPTY_LEDGER, type Ledger, type PreviousRequest } from "../cost/ledger.ts";
import { HEAD } from "../log/messages.ts";
import { resolveSettings } from "../settings/resolve.ts";
import type { Settings } from "../settings/settings.ts";
import { budgetOf } from "../size/budget.ts";
import { startCalibration } from "../size/calibration.ts";
import { NO_FEATURES } from "../size/features.ts";
import { type CarriedState, EMPTY_CARRIED_STATE } from "../state/carried.ts";
import { type Configuration, createView, type Item, toItem } from "../view/view.ts";

import { type DueQuestion, economicPoints, forecastCompaction, isCompactionDue } from "./when.ts";

const SETTINGS: Settings = {
  ...resolveSettings({}).settings,
  "compaction.enabled": "on",
  "compaction.policy": "economic",
  "compaction.economicFromTokens": 100_000,
  "compaction.economicInTurnFromTokens": 400_000,
  "compaction.economicAboveWindowTokens": 300_000,
  "compaction.horizonRequests": 60,
};
const SAID = toItem({ from: 1, to: 1, role: "user", origin: "human", blocks: [{ kind: "text", text: "Go." }] });
const RESULT = toItem({
  from: 2,
  to: 2,
  role: "user",
  origin: "tool",
  blocks: [{ kind: "tool_result", callId: "a", content: "x", status: "ok" }],
});

interface Asked extends Partial<Omit<DueQuestion, "view" | "settings" | "carriedState">> {
  readonly tokens?: number;
  readonly items?: readonly Item[];
  readonly windowTokens?: number;
  readonly settings?: Partial<Settings>;
  readonly carried?: Partial<CarriedState>;
}

/** A view of this size whose newest report is exact. */
function question({ tokens = 500_000, items = [SAID], windowTokens = 1_000_000, ...more }: Asked = {}): DueQuestion {
  const { settings, carried, ...rest } = more;
  const view = createView(startCalibration());
  view.items.push(...items);
  view.anchor = { request: 1, responseId: "r", tokens, prefix: "same" };
  view.since = NO_FEATURES;
  return {
    view,
    ledger: EMPTY_LEDGER,
    carriedState: { ...EMPTY_CARRIED_STATE, ...carried },
    budget: budgetOf({ windowTokens }),
    prices: undefined,
    settings: { ...SETTINGS, ...settings },
    attendance: { kind: "attended", openedAt: 0 },
    nowMs: 1_000,
    ...rest,
  };
}

/** The ledger of a session whose newest request was made at 0 and is cached for so long. */
function ledgerOf(lifetimeMs: number): Ledger {
  const previous = { atMs: 0, lifetimeMs } as PreviousRequest;
  return { ...EMPTY_LEDGER, sources: { main: { previous } as unknown as Ledger["sources"][string] } };
}

const threshold = budgetOf({ windowTokens: 1_000_000 }).autoCompactTokens;

test.each<[string, Asked, string | undefined]>([
  ["large, and saves money", {}, "economic"],
  [
    "of the least size that may save money",
    { tokens: 100_000, settings: { "compaction.horizonRequests": 1_000 } },
    "economic",
  ],
  ["a token smaller", { tokens: 99_999, settings: { "compaction.horizonRequests": 1_000 } }, undefined],
  ["large, in a window just above the least", { tokens: 200_000, windowTokens: 300_001 }, "economic"],
  ["large, in the window that is the least", { tokens: 200_000, windowTokens: 300_000 }, undefined],
  ["one that earns its cost back too late", { settings: { "compaction.horizonRequests": 1 } }, undefined],
  ["large, where only the window counts", { settings: { "compaction.policy": "window" } }, undefined],
  ["at the window's threshold", { tokens: threshold, settings: { "compaction.policy": "window" } }, "window"],
  ["a token below it", { tokens: threshold - 1, settings: { "compaction.policy": "window" } }, undefined],
  ["in the middle of a turn", { tokens: 399_999, items: [SAID, RESULT] }, undefined],
  ["in a turn, as large as it may become in one", { tokens: 400_000, items: [SAID, RESULT] }, "economic"],
  ["switched off", { tokens: threshold, settings: { "compaction.enabled": "off" } }, undefined],
  [
    "switched off by its budget",
    { tokens: threshold, budget: budgetOf({ windowTokens: 1_000_000, autoCompaction: "off" }) },
    undefined,
  ],
  ["brought back, until the user speaks", { tokens: threshold, carried: { automatic: "held" } }, undefined],
])("the compaction of a conversation that is %s: %3$s", (_, asked, reason) => {
  const due = isCompactionDue(question(asked));
  expect(due?.forecast.reason).toBe(reason);
  expect(due?.hold).toBeUndefined();
});

test("what stands before the first request stays, beside what a compaction leaves", () => {
  const blocks = [{ kind: "text", text: "Mind the gap. ".repeat(100) }] as const;
  const head = toItem({ from: 1, to: 1, role: "user", origin: "host", attachment: HEAD, blocks });
  const other = toItem({ from: 1, to: 1, role: "user", origin: "host", attachment: "other", blocks });
  const seal: Item = { kind: "seal", from: 3, to: 3, maxTokens: 1 };
  const kept = (...items: readonly Item[]): number =>
    forecastCompaction(question({ items: [...items, SAID] }), "").expectedTokens - 30_000;
  expect(kept()).toBe(0);
  expect(kept(head)).toBeGreaterThan(100);
  expect(kept(other, head, seal, SAID)).toBe(kept(head));
  expect(kept(other)).toBe(0);
  expect(kept(seal, head)).toBe(0);
  // So does what is sent beside the messages.
  const asked = question({ items: [head] });
  asked.view.configuration = { features: head.features } as Configuration;
  expect(forecastCompaction(asked, "").expectedTokens - 30_000).toBeGreaterThan(1.9 * kept(head));
});

test.each<[string, Asked, string]>([
  ["is there until its time is over", { ledger: ledgerOf(1_001) }, "warm cache"],
  ["is gone when its time is over", { ledger: ledgerOf(1_000) }, "cold cache"],
  ["is there before the first request", {}, "warm cache"],
  ["and notes since the boundary", { carried: { notes: { entry: 1, coveredTo: 1 } } }, "warm cache, notes at hand"],
  [
    "and notes from before the boundary",
    { carried: { notes: { entry: 5, coveredTo: 1 }, chain: { boundary: 5, boundaries: 1, turns: 0 } } },
    "warm cache)",
  ],
  [
    "and notes that are switched off",
    { carried: { notes: { entry: 1, coveredTo: 1 } }, settings: { "compaction.notes": "off" } },
    "warm cache)",
  ],
])("what was decided names the circumstances: the cache %s", (_, asked, words) => {
  expect(isCompactionDue(question({ settings: { "compaction.notes": "on" }, ...asked }))!.forecast.why).toContain(
    words,
  );
});

test.each<[number, number]>([
  // A read costs 0.1, a write 1.25, output 5: of n tokens, (n - 38,000) * 0.1 * 10 is saved and n * 0.1 + 64,500 paid.
  [10, 113_889],
  [11, 106_301],
  [8, 135_572],
  [7, 151_834],
])("compaction that has to pay within %i requests is made from %i tokens on, not below", (horizon, atTokens) => {
  const settings = { "compaction.horizonRequests": horizon };
  expect(economicPoints(question({ settings }))).toEqual({ atTokens, withinTurnAtTokens: 400_000 });
  expect(isCompactionDue(question({ settings, tokens: atTokens }))?.forecast.reason).toBe("economic");
  expect(isCompactionDue(question({ settings, tokens: atTokens - 1 }))).toBeUndefined();
  // The points are the same while the model is at work.
  expect(economicPoints(question({ settings, items: [SAID, RESULT] }))?.atTokens).toBe(atTokens);
});

test.each<[string, Partial<Settings>, object | undefined]>([
  [
    "the least size, where it pays at once",
    { "compaction.horizonRequests": 1_000 },
    { atTokens: 100_000, withinTurnAtTokens: 400_000 },
  ],
  [
    "one point where turns have no other",
    { "compaction.horizonRequests": 1_000, "compaction.economicInTurnFromTokens": 5 },
    { atTokens: 100_000, withinTurnAtTokens: 100_000 },
  ],
  [
    "never later in a turn than the window allows",
    { "compaction.horizonRequests": 1_000, "compaction.economicInTurnFromTokens": 2_000_000 },
    { atTokens: 100_000, withinTurnAtTokens: threshold },
  ],
  ["none where only the window counts", { "compaction.policy": "window" }, undefined],
  ["none where it never pays", { "compaction.horizonRequests": 1 }, undefined],
  [
    "none where it would be the window's",
    { "compaction.horizonRequests": 1_000, "compaction.economicFromTokens": threshold },
    undefined,
  ],
  [
    "the last size below the window's",
    { "compaction.horizonRequests": 1_000, "compaction.economicFromTokens": threshold - 1 },
    { atTokens: threshold - 1, withinTurnAtTokens: threshold - 1 },
  ],
])("the point of a compaction that saves money: %s", (_, settings, expected) => {
  expect(economicPoints(question({ settings }))).toEqual(expected);
});
