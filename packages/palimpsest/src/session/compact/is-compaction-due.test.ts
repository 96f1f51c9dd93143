import { expect, test } from "vitest";
import { EMPTY_LEDGER, type Ledger, type PreviousRequest } from "../../cache/ledger.ts";
import type { ModelPrices } from "../../log/prices.ts";
import { resolveSettings } from "../../settings/resolve-settings.ts";
import type { Settings } from "../../settings/settings.ts";
import { type CarriedState, EMPTY_CARRIED_STATE } from "../../stages/compact/carried-state.ts";
import { budgetOf } from "../../tokens/budget.ts";
import { startCalibration } from "../../tokens/calibration.ts";
import { NO_FEATURES } from "../../tokens/features.ts";
import { type Item, toItem } from "../../view/item.ts";
import { type Configuration, createView } from "../../view/view.ts";
import { HEAD } from "../messages.ts";
import { compactionPoint } from "./compaction-point.ts";
import { ANNOUNCED } from "./hold-compaction.ts";
import { type DueQuestion, economicPoints, forecastCompaction, isCompactionDue } from "./is-compaction-due.ts";

const SETTINGS: Settings = {
  ...resolveSettings({}).settings,
  "compaction.enabled": "on",
  "compaction.policy": "economic",
  "compaction.economicFromTokens": 100_000,
  "compaction.economicInTurnFromTokens": 400_000,
  "compaction.economicAboveWindowTokens": 300_000,
  "compaction.horizonRequests": 60,
};
const PRICES = { input: 5, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10, output: 25 } as ModelPrices;
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

const TAKEN_BACK = { takenBack: [{ from: 2, to: 19, at: 20 }] };
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

test("one that saves money is held and named once; the window's own is made", () => {
  expect(isCompactionDue(question({ carried: TAKEN_BACK }))?.hold).toEqual({ by: "restored", since: 20 });
  expect(isCompactionDue(question({ carried: { ...TAKEN_BACK, marks: { [ANNOUNCED]: 21 } } }))).toBeUndefined();
  const forced = isCompactionDue(question({ tokens: threshold, carried: TAKEN_BACK }));
  expect(forced).toMatchObject({ forecast: { reason: "window", overrides: "restore" } });
  expect(forced).not.toHaveProperty("hold");
  expect(isCompactionDue(question({ tokens: threshold }))!.forecast).not.toHaveProperty("overrides");
  expect(isCompactionDue(question({ carried: TAKEN_BACK }))!.forecast).not.toHaveProperty("overrides");
});

test.each<[string, Asked, number, number | undefined]>([
  ["four tenths of a small one stay", { tokens: 10_001 }, 4_000, undefined],
  ["30,000 tokens of a large one stay", { tokens: 500_000 }, 30_000, undefined],
  ["at the price of a read from the cache", { tokens: 530_000, prices: PRICES }, 30_000, 0.25],
  ["of nothing, nothing", { tokens: 0, prices: PRICES }, 0, 0],
])("a forecast says what is left and saved: %s", (_, asked, expectedTokens, savesUsdPerRequest) => {
  const forecast = forecastCompaction(question(asked), "because");
  const tokens = asked.tokens!;
  expect(forecast).toMatchObject({ reason: "window", why: "because", tokens, expectedTokens });
  expect(forecast.savesTokensPerRequest).toBe(tokens - expectedTokens);
  if (savesUsdPerRequest === undefined) expect(forecast).not.toHaveProperty("savesUsdPerRequest");
  else expect(forecast.savesUsdPerRequest).toBeCloseTo(savesUsdPerRequest, 10);
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

test("the next point is shown with its policy, and held ones with the one that comes then", () => {
  const settings: Partial<Settings> = { "compaction.horizonRequests": 1_000, "compaction.auto": "on" };
  const { profile } = SETTINGS;
  expect(compactionPoint(question({ settings }))).toEqual({
    policy: "economic",
    atTokens: 100_000,
    withinTurnAtTokens: 400_000,
    approval: "automatic",
    profile,
  });
  expect(compactionPoint(question({ settings, carried: TAKEN_BACK }))).toEqual({
    policy: "held",
    atTokens: threshold,
    heldBy: "restored",
    thenAtTokens: 100_000,
    approval: "automatic",
    profile,
  });
  expect(compactionPoint(question({ settings: { "compaction.policy": "window", "compaction.auto": "ask" } }))).toEqual({
    policy: "window",
    atTokens: threshold,
    approval: "asks",
    profile,
  });
  const budget = budgetOf({ windowTokens: 1_000_000, autoCompaction: "off" });
  expect(compactionPoint(question({ budget }))).toEqual({ policy: "off", profile });
});
