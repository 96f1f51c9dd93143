import { describe, expect, test } from "vitest";
import { COMPACT_RULE, compactProposal, price } from "../policy/decide.ts";
import type { Level } from "../policy/policy.ts";
import { type StateOptions, stateOf, TEST_MODELS } from "../policy/testing.ts";
import { coding } from "../presets/coding.ts";
import { breakerAfter, type CarriedState, CLOSED, ECONOMIC_BREAKER, EMPTY_CARRIED_STATE } from "../state/carried.ts";
import type { Attendance } from "../state/options.ts";
import { ANNOUNCED, forecastOf, forecastRefused, holdOf, isTold } from "./compaction.ts";

const NEW: Attendance = { kind: "attended", openedAt: 0 };
const RESUMED: Attendance = { kind: "attended", openedAt: 10 };
const ALONE: Attendance = { kind: "unattended", openedAt: 10 };
const MINUTE_MS = 60_000;

const question = (carried: Partial<CarriedState> = {}, attendance = NEW, nowMs = 0) => ({
  carriedState: { ...EMPTY_CARRIED_STATE, ...carried },
  attendance,
  nowMs,
});
const told = (coveredTo: number) => ({ readers: { [ANNOUNCED]: coveredTo } });
const RESTORED = { takenBack: [{ from: 1, to: 5, at: 20 }] };
describe("a compaction that only saves money", () => {
  test.each<[string, Partial<CarriedState>, Attendance, string | undefined]>([
    ["may run in a new session", {}, NEW, undefined],
    ["waits in a resumed session until the user was told", {}, RESUMED, "opened"],
    ["waits in a resumed session until the user has spoken", { ...told(12), spokenAt: 11 }, RESUMED, "opened"],
    ["may run once the user was told and has spoken", { ...told(12), spokenAt: 13 }, RESUMED, undefined],
    ["waits if the user was told only before this session was opened", { ...told(9), spokenAt: 13 }, RESUMED, "opened"],
    ["waits where nobody can answer until one announcement was made", {}, ALONE, "opened"],
    ["may run where nobody can answer after an announcement at any time", told(1), ALONE, undefined],
    ["waits after the user has restored compacted content", { ...RESTORED, ...told(30) }, NEW, "restored"],
  ])("%s", (_, carried, attendance, by) => {
    expect(holdOf(question(carried, attendance))?.by).toBe(by);
  });

  test("waits ten minutes after a failure, and says until when", () => {
    const seen = { nowMs: 0, userMessages: 1, viewChangedAt: 1 };
    const failed = { economicBreaker: breakerAfter(CLOSED, { kind: "failed", seen }, ECONOMIC_BREAKER) };
    expect(holdOf(question(failed, NEW, 9 * MINUTE_MS))).toEqual({ by: "failed", retryAtMs: 10 * MINUTE_MS });
    expect(holdOf(question(failed, NEW, 10 * MINUTE_MS))).toBeUndefined();
  });

  test("is announced once for each reason to wait, and never after a failure", () => {
    const opened = { by: "opened" } as const;
    expect(isTold(opened, question(told(9), RESUMED))).toBe(false);
    expect(isTold(opened, question(told(11), RESUMED))).toBe(true);
    const restored = { by: "restored", since: 20 } as const;
    expect(isTold(restored, question(told(20), RESUMED))).toBe(false);
    expect(isTold(restored, question(told(21), RESUMED))).toBe(true);
    expect(isTold({ by: "failed", retryAtMs: 1 }, question())).toBe(true);
  });
});

describe("the forecast", () => {
  const forecast = (options: StateOptions, level: Level, carried: Partial<CarriedState> = {}) => {
    const state = stateOf(options);
    const policy = coding();
    const proposal = compactProposal(policy, state, { level, because: "a test" });
    const taken = price(COMPACT_RULE, proposal, state, policy);
    return forecastOf({ taken, because: "why" }, state, { ...EMPTY_CARRIED_STATE, ...carried });
  };

  test.each<[string, number, Level, string]>([
    ["that is required", 100_000, "required", "window"],
    ["that is requested", 100_000, "requested", "requested"],
    ["that pays", 100_000, "if-it-pays", "economic"],
    ["that pays, in a window that is full", 990_000, "if-it-pays", "window"],
  ])("of a compaction %s names its reason", (_, tokens, level, reason) => {
    expect(forecast({ tokens }, level)).toMatchObject({ reason, because: "why", tokens });
  });

  test("counts the head, which no compaction changes, and what a request saves by it", () => {
    const small = forecast({ tokens: 200_000 }, "required");
    const large = forecast({ tokens: 200_000, headTokens: 46_000 }, "required");
    expect(large.expectedTokens - small.expectedTokens).toBe(40_000);
    expect(small.savesTokensPerRequest).toBe(200_000 - small.expectedTokens);
    expect(small.savesUsdPerRequest).toBeCloseTo(small.savesTokensPerRequest * 0.2e-6, 9);
    expect(forecast({ tokens: 200_000, model: TEST_MODELS.plain }, "required").savesUsdPerRequest).toBeUndefined();
  });

  test("says that the window overrides a restore", () => {
    expect(forecast({ tokens: 990_000 }, "required", RESTORED).overrides).toBe("restore");
    expect(forecast({ tokens: 100_000 }, "if-it-pays", RESTORED).overrides).toBeUndefined();
  });

  test("of a refused request expects what the last compaction kept, or the policy's estimate", () => {
    const state = stateOf({ tokens: 200_000 });
    expect(forecastRefused("refused", 30_000, state, EMPTY_CARRIED_STATE).expectedTokens).toBe(36_000);
    expect(forecastRefused("refused", 300_000, state, EMPTY_CARRIED_STATE).expectedTokens).toBe(86_000);
    const lastCompaction = { entry: 5, turnsAgo: 1, keptTokens: 50_000, undone: false };
    const compacted = { ...state, history: { ...state.history, lastCompaction } };
    expect(forecastRefused("refused", 30_000, compacted, EMPTY_CARRIED_STATE)).toMatchObject({
      reason: "window",
      expectedTokens: 56_000,
    });
  });
});
