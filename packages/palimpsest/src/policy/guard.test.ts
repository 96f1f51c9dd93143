import { describe, expect, test } from "vitest";
import {
  callRule,
  countFailures,
  frozenState,
  lifetimesOf,
  PLAIN_PROMPT,
  promptOf,
  rangeOf,
  startReason,
  thresholdOf,
  updateReason,
  verdictOf,
} from "./guard.ts";
import type { CacheRule, CompactRule, Cut, Outline, Policy, StoreRule, SummaryForm, Verdict } from "./policy.ts";
import { notesByGrowth } from "./rules/notes.ts";
import { codingStub, STUB_FORM } from "./testing/stub-policy.ts";
import { stateOf, TEST_MODELS } from "./testing.ts";
import type { WindowState } from "./window-state.ts";

const base = codingStub("balanced");
const state = stateOf({ tokens: 100_000 });
const boom = (): never => {
  throw new Error("boom");
};
const rejecting = (async () => boom()) as unknown as () => never;

function paused(rule: string): WindowState {
  return { ...state, history: { ...state.history, failures: { [rule]: 3 } } };
}

describe("rangeOf", () => {
  const outline: Outline = {
    turns: [
      { from: 5, to: 20, tokens: 50_000, messages: 4, status: "closed", origin: "summary" },
      { from: 21, to: 40, tokens: 40_000, messages: 4, status: "open", origin: "conversation" },
    ],
  };
  const withRange = (range: CompactRule["range"]): Policy => ({ ...base, compact: { ...base.compact, range } });

  test.each([
    ["throws", boom, /boom/],
    ["returns a promise", rejecting, /promise/],
    ["cuts after the end", () => ({ to: 41 }), /entry 41, and the conversation has the entries 5 to 40/],
    ["cuts before the beginning", () => ({ to: 4 }), /entry 4/],
    ["cuts at NaN", () => ({ to: Number.NaN }), /NaN/],
    ["returns a number", () => 20 as unknown as Cut, /entry undefined/],
    ["returns null", () => null as unknown as Cut, /null/],
  ])("compacts everything if a rule %s", (_, range, why) => {
    const { value, failure } = rangeOf(withRange(range), outline, state);
    expect(value).toEqual({ to: 40 });
    expect(failure).toEqual({ rule: "range", where: "range", why: expect.stringMatching(why) });
  });

  test("takes a valid cut, and compacts everything while the rule is paused", () => {
    const policy = withRange(() => ({ to: 20 }));
    expect(rangeOf(policy, outline, state)).toEqual({ value: { to: 20 }, failure: undefined });
    expect(rangeOf(policy, outline, paused("range"))).toEqual({ value: { to: 40 }, failure: undefined });
    expect(rangeOf(policy, { turns: [] }, paused("range")).value).toBeUndefined();
  });

  test("leaves nothing in place at the hard limit", () => {
    const policy = withRange(() => undefined);
    expect(rangeOf(policy, outline, state).value).toBeUndefined();
    expect(rangeOf(policy, outline, stateOf({ tokens: 178_000, windowTokens: 200_000 })).value).toEqual({ to: 40 });
  });
});

describe("thresholdOf", () => {
  const tool = { name: "Bash", bounded: false };
  const withThreshold = (thresholdOf: unknown): StoreRule => ({
    ...base.store,
    thresholdOf: thresholdOf as StoreRule["thresholdOf"],
  });

  test.each([[0], [999], [Number.NaN], [-5], [undefined], ["50000"], [null]])(
    "uses the default instead of %s",
    (value) => {
      const { value: threshold, failure } = thresholdOf(
        withThreshold(() => value),
        tool,
        state.history,
      );
      expect(threshold).toBe(50_000);
      expect(failure).toMatchObject({ rule: "store", why: expect.stringContaining("from 1000 on") });
    },
  );

  test("uses the default if a rule throws, returns a promise or is paused", () => {
    for (const rule of [boom, rejecting])
      expect(thresholdOf(withThreshold(rule), tool, state.history).value).toBe(50_000);
    expect(thresholdOf(withThreshold(boom), tool, paused("store").history)).toEqual({
      value: 50_000,
      failure: undefined,
    });
  });

  test("takes a valid threshold", () => {
    for (const value of ["never", 1_000, Number.POSITIVE_INFINITY])
      expect(
        thresholdOf(
          withThreshold(() => value),
          tool,
          state.history,
        ),
      ).toEqual({ value, failure: undefined });
  });
});

describe("lifetimesOf", () => {
  const pauses = { middle: 0, long: 0 };
  const withCache = (head: unknown, conversation: unknown): Policy => {
    const cache = { name: "own", head, conversation } as CacheRule;
    return { ...base, cache };
  };

  test("uses five minutes for a lifetime that fails or is not offered", () => {
    const { value, failure } = lifetimesOf(
      withCache(() => "1y", boom),
      state,
      pauses,
    );
    expect(value).toEqual({ head: "5m", conversation: "5m" });
    expect(failure).toMatchObject({ rule: "cache", why: 'it chose "1y", and bound offers 5m, 1h' });
    expect(
      lifetimesOf(
        withCache(() => "1h", boom),
        state,
        pauses,
      ),
    ).toMatchObject({ value: { head: "1h" }, failure: { why: /boom/ } });
  });

  test("caches the head as long as the conversation at least", () => {
    expect(
      lifetimesOf(
        withCache(
          () => "5m",
          () => "1h",
        ),
        state,
        pauses,
      ).value,
    ).toEqual({ head: "1h", conversation: "1h" });
  });

  test("asks no rule if the provider chooses, or the rule is paused", () => {
    const plain = stateOf({ tokens: 1_000, model: TEST_MODELS.plain });
    for (const now of [plain, paused("cache")])
      expect(lifetimesOf(withCache(boom, boom), now, pauses)).toEqual({
        value: { head: "5m", conversation: "5m" },
        failure: undefined,
      });
  });
});

describe("summaries", () => {
  const ask = { part: "all", instructions: "", sourceTokens: 1_000, isKnown: () => true } as const;
  const withForm = (more: Partial<Record<"prompt" | "check", unknown>>): SummaryForm => ({
    ...STUB_FORM,
    ...(more as Partial<SummaryForm>),
  });

  test.each([
    ["throws", boom],
    ["returns a promise", rejecting],
    ["returns nothing", () => undefined],
    ["returns a blank text", () => " \n"],
    ["returns an endless text", () => "x".repeat(100_001)],
  ])("asks the plain question if a prompt %s", (_, prompt) => {
    expect(promptOf(withForm({ prompt }), ask)).toMatchObject({
      value: PLAIN_PROMPT,
      failure: { rule: "summary", where: "prompt" },
    });
  });

  test.each([
    ["throws", boom],
    ["returns a promise", rejecting],
    ["returns nothing", () => undefined],
    ["returns a boolean", () => false],
    ["asks for nothing", () => ({ kind: "repair", ask: "" })],
    ["refuses without a reason", () => ({ kind: "refuse" })],
    ["invents a verdict", () => ({ kind: "maybe" })],
  ])("accepts the text if a check %s", (_, check) => {
    expect(verdictOf(withForm({ check }), "text", ask)).toMatchObject({
      value: { kind: "ok" },
      failure: { where: "check" },
    });
  });

  test("passes valid prompts and verdicts on", () => {
    expect(promptOf(STUB_FORM, ask)).toEqual({ value: "Summarize.", failure: undefined });
    const verdicts: readonly Verdict[] = [
      { kind: "ok" },
      { kind: "repair", ask: "Name it." },
      { kind: "refuse", why: "no" },
    ];
    for (const value of verdicts)
      expect(verdictOf(withForm({ check: () => value }), "text", ask)).toEqual({ value, failure: undefined });
  });
});

describe("startReason and updateReason", () => {
  const compactsAt = { betweenTurnsTokens: 100_000, inTurnTokens: 150_000 };
  const rule = notesByGrowth({ firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 });
  const notes = { coveredTo: 0, tokens: 0, uncoveredTokens: 90_000, toolCallsSince: 5 };

  test("return the reasons of the policy", () => {
    expect(startReason(base, { ...state, compactsAt }).value?.level).toBe("requested");
    expect(updateReason({ ...base, notes: rule }, { ...state, notes }).value?.level).toBe("requested");
    expect(updateReason(base, { ...state, notes }).value).toBeUndefined();
  });

  test("return no reason if a rule fails", () => {
    const prepareAhead = { name: "own", maxTailTokens: 1, start: boom };
    const broken: Policy = {
      ...base,
      notes: { ...rule, update: rejecting },
      compact: { ...base.compact, prepareAhead },
    };
    expect(startReason(broken, state)).toMatchObject({
      value: undefined,
      failure: { rule: "prepareAhead", where: "start" },
    });
    expect(updateReason(broken, state)).toMatchObject({
      value: undefined,
      failure: { rule: "notes", where: "update" },
    });
    expect(startReason(broken, paused("prepareAhead")).failure).toBeUndefined();
  });
});

test("an explanation of a failure is cut", () => {
  const run = (): never => {
    throw new Error("x".repeat(10_000));
  };
  const { failure } = callRule(
    { rule: "own", where: "propose" },
    run,
    () => undefined,
    () => 1,
  );
  expect(failure?.why).toHaveLength(400);
});

test("a state that is frozen cannot be changed by a rule", () => {
  const frozen = frozenState(stateOf({ tokens: 50_000, results: 3, resultTokens: 100 }));
  expect(() => (frozen.results as unknown[]).pop()).toThrow(TypeError);
  expect(() => Object.assign(frozen.results[0]!, { clearable: false })).toThrow(TypeError);
});

describe("countFailures", () => {
  const failed = (...rules: readonly string[]) =>
    rules.map((rule) => ({ rule, where: "propose", why: "boom" }) as const);

  test("counts failures in a row, and begins again after a success", () => {
    const once = countFailures({}, ["one", "two"], failed("one"));
    expect(once).toEqual({ one: 1 });
    expect(countFailures(once, ["one", "two"], failed("one"))).toEqual({ one: 2 });
    expect(countFailures(once, ["one", "two"], failed("two"))).toEqual({ two: 1 });
    expect(countFailures(once, ["two"], [])).toEqual({ one: 1 });
  });

  test("counts two failures in one decision once, and leaves a paused rule paused", () => {
    expect(countFailures({}, ["one"], failed("one", "one"))).toEqual({ one: 1 });
    expect(countFailures({ one: 3 }, ["one"], [])).toEqual({ one: 3 });
  });

  test("counts rules with the names of built-in fields", () => {
    const counts = countFailures({}, [], failed("constructor", "__proto__"));
    expect(Object.entries(counts)).toEqual([
      ["constructor", 1],
      ["__proto__", 1],
    ]);
  });
});
