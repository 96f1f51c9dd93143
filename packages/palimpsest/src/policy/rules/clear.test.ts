import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClearRule } from "../policy.ts";
import { problemOfProposal } from "../proposal.ts";
import { type StateOptions, stateOf, TEST_MODELS } from "../testing.ts";
import type { WindowState } from "../window-state.ts";
import { byCacheEdit, byProvider, bySize, proposalOf, stale, toFit, whenCold, whenIdle, whenWarm } from "./clear.ts";

const READS = { tokens: 119_795, headTokens: 6_200, results: 20, resultTokens: 5_678, cache: "cold" } as const;
const FREE = { model: TEST_MODELS.free } as const;
const EDITING: StateOptions["model"] = {
  ...TEST_MODELS.bound,
  model: { ...TEST_MODELS.bound.model, deletesFromCache: true },
};

function entriesOf(rule: ClearRule, state: WindowState): readonly number[] | undefined {
  const action = rule.propose(state)?.action;
  if (action === undefined) return undefined;
  return action.kind === "clear" || action.kind === "delete-cached" ? action.entries : undefined;
}

describe("stale", () => {
  test("leaves the newest results, results of kept tools, short results, and results that were asked for again", () => {
    const state = stateOf({ tokens: 60_000, results: 6, resultTokens: 2_000 });
    const [, second, third, fourth] = state.results;
    const changed = state.results.map((result) => {
      if (result === second) return { ...result, tool: "Grep" };
      if (result === third) return { ...result, askedAgain: true };
      return result === fourth ? { ...result, tokens: 60 } : result;
    });
    const entries = stale({ ...state, results: changed }, { keepNewest: 1, keepTools: ["Grep"] }).map(
      ({ entry }) => entry,
    );
    expect(entries).toEqual([10, 18]);
  });

  test("counts only whole results that can be cleared as newest", () => {
    const state = stateOf({ tokens: 60_000, results: 6, resultTokens: 2_000 });
    const results = state.results.map((result, index) =>
      index < 4
        ? result
        : index === 4
          ? ({ ...result, clearable: false } as const)
          : ({ ...result, shown: "stored" } as const),
    );
    expect(stale({ ...state, results }, { keepNewest: 2 }).map(({ entry }) => entry)).toEqual([10, 12]);
  });
});

describe("proposalOf", () => {
  test("counts what goes, what stays before it, and what comes back", () => {
    const state = stateOf({ ...READS, ...FREE });
    expect(proposalOf(state.results.slice(2, 4), state, { level: "requested", because: "test" })).toEqual({
      action: { kind: "clear", entries: [14, 16], thinking: "stays" },
      level: "requested",
      because: "test; 2 results",
      freesTokens: 2 * (5_678 - 60),
      keepsPrefixTokens: state.results[2]!.beforeTokens,
      comesBack: { tokens: Math.ceil(2 * 5_678 * 0.14), requests: 0.28 },
      undo: "exact",
    });
  });

  test("drops bound thinking between turns, and proposes nothing inside a turn", () => {
    const reason = { level: "requested", because: "test" } as const;
    const state = stateOf(READS);
    expect(proposalOf(state.results, state, reason)?.action).toMatchObject({ thinking: "dropped" });
    const open = stateOf({ ...READS, turn: "open" });
    expect(proposalOf(open.results, open, reason)).toBeUndefined();
    const free = stateOf({ ...READS, ...FREE, turn: "open" });
    expect(proposalOf(free.results, free, reason)).toBeDefined();
  });

  test("proposes nothing for no results, and for less than the minimum", () => {
    const reason = { level: "requested", because: "test" } as const;
    const state = stateOf(READS);
    expect(proposalOf([], state, reason)).toBeUndefined();
    expect(proposalOf(state.results.slice(0, 1), state, reason, { minTokens: 5_619 })).toBeUndefined();
    expect(proposalOf(state.results.slice(0, 1), state, reason, { minTokens: 5_618 })).toBeDefined();
  });
});

describe("whenCold and whenIdle", () => {
  test("whenCold clears all but the newest in a cold cache", () => {
    const rule = whenCold({ keepNewest: 4 });
    expect(entriesOf(rule, stateOf(READS))).toHaveLength(16);
    expect(rule.propose(stateOf(READS))).toMatchObject({
      level: "if-it-pays",
      because: expect.stringContaining("120 minutes"),
    });
    expect(rule.propose(stateOf({ ...READS, cache: "warm" }))).toBeUndefined();
    expect(rule.propose(stateOf({ ...READS, cache: "new" }))).toBeUndefined();
  });

  test("whenIdle clears all but the newest five after an hour", () => {
    const rule = whenIdle({ minutes: 60, keepNewest: 5 });
    expect(rule.propose(stateOf(READS))).toMatchObject({ level: "requested", freesTokens: 15 * (5_678 - 60) });
    expect(rule.propose(stateOf({ ...READS, idleMinutes: 59 }))).toBeUndefined();
  });

  test("all rules keep results of the tools that the builder names", () => {
    const keep = { keepNewest: 0, keepTools: ["Read"] };
    const rules = [
      whenCold(keep),
      whenIdle({ ...keep, minutes: 0 }),
      whenWarm({ ...keep, horizonRequests: 1_000 }),
      toFit({ ...keep, toShare: 0 }),
      bySize({ ...keep, targetTokens: 0, nearLimitTokens: 1_000_000 }),
      byProvider({ ...keep, aboveTokens: 1, freeAtLeastTokens: 0 }),
      byCacheEdit({ ...keep, atLeastResults: 0 }),
    ];
    for (const cache of ["warm", "cold"] as const)
      for (const rule of rules) expect(rule.propose(stateOf({ ...READS, model: EDITING, cache }))).toBeUndefined();
  });
});

describe("whenWarm", () => {
  const BIG_LAST = { tokens: 100_000, results: 10, resultTokens: 3_000, ...FREE } as const;

  test("begins where clearing gains most", () => {
    const state = stateOf(BIG_LAST);
    const results = state.results.map((result, index) => (index === 8 ? { ...result, tokens: 20_000 } : result));
    // The provider can find the prompt again shortly before the large result.
    const marked = { ...state.cache.segments[1]!, endTokens: 80_000 };
    const now = { ...state, results, cache: { ...state.cache, segments: [marked, ...state.cache.segments] } };
    expect(entriesOf(whenWarm({ keepNewest: 1, horizonRequests: 10 }), now)).toEqual([26]);
    expect(entriesOf(whenWarm({ keepNewest: 1, horizonRequests: 1_000 }), now)).toHaveLength(9);
  });

  test("proposes nothing if no clearing earns back the rewrite, or the cache is not warm", () => {
    const rule = whenWarm({ keepNewest: 1, horizonRequests: 10 });
    expect(rule.propose(stateOf(BIG_LAST))).toBeUndefined();
    expect(
      whenWarm({ keepNewest: 1, horizonRequests: 1_000 }).propose(stateOf({ ...BIG_LAST, cache: "cold" })),
    ).toBeUndefined();
  });
});

describe("toFit and bySize", () => {
  test("toFit clears the oldest until the window is filled to the share", () => {
    const state = stateOf({ tokens: 190_000, results: 40, resultTokens: 3_000, windowTokens: 200_000, ...FREE });
    const rule = toFit({ keepNewest: 4, toShare: 0.6 });
    expect(entriesOf(rule, state)).toHaveLength(Math.ceil((190_000 - 108_000) / (3_000 - 60)));
    expect(rule.propose(state)?.level).toBe("when-full");
    expect(
      rule.propose(stateOf({ tokens: 108_000, results: 30, resultTokens: 3_000, windowTokens: 200_000 })),
    ).toBeUndefined();
  });

  test("bySize clears down to 40,000 tokens of results, if that frees 20,000", () => {
    const rule = bySize({ targetTokens: 40_000, minTokens: 20_000, keepNewest: 3, nearLimitTokens: 20_000 });
    const near = { tokens: 165_000, windowTokens: 200_000, resultTokens: 4_000, ...FREE } as const;
    expect(rule.propose(stateOf({ ...near, results: 30 }))).toMatchObject({
      level: "requested",
      freesTokens: 20 * (4_000 - 60),
    });
    expect(rule.propose(stateOf({ ...near, results: 12 }))).toBeUndefined();
    expect(rule.propose(stateOf({ ...near, tokens: 156_000, results: 30 }))).toBeUndefined();
  });
});

describe("byProvider", () => {
  const numbers = { aboveTokens: 100_000, freeAtLeastTokens: 50_000, keepNewest: 4, inputsOf: ["Edit"] } as const;
  const LARGE = { tokens: 150_000, results: 36, resultTokens: 2_400, turn: "open" } as const;

  test("asks the provider, also inside a turn with bound thinking", () => {
    const proposal = byProvider(numbers).propose(stateOf(LARGE))!;
    expect(proposal).toMatchObject({ freesTokens: 32 * 2_340, undo: "counted", level: "if-it-pays" });
    expect(proposal.action).toEqual({
      kind: "ask-provider",
      edits: {
        aboveTokens: 100_000,
        freeAtLeastTokens: 50_000,
        keepNewest: 4,
        keepTools: [],
        inputsOf: ["Edit"],
        thinking: "all",
      },
    });
  });

  test("proposes nothing without such edits, below its sizes, or between turns if it is limited to turns", () => {
    expect(byProvider(numbers).propose(stateOf({ ...LARGE, model: TEST_MODELS.plain }))).toBeUndefined();
    expect(byProvider(numbers).propose(stateOf({ ...LARGE, tokens: 99_999 }))).toBeUndefined();
    expect(byProvider(numbers).propose(stateOf({ ...LARGE, results: 20 }))).toBeUndefined();
    const inTurn = byProvider({ ...numbers, onlyInTurn: true, level: "when-full" });
    expect(inTurn.propose(stateOf({ ...LARGE, turn: "starting" }))).toBeUndefined();
    expect(inTurn.propose(stateOf(LARGE))?.level).toBe("when-full");
  });

  test("uses smaller numbers in a small window, so that the edit acts before the limit", () => {
    const small = stateOf({ tokens: 80_000, windowTokens: 120_000, results: 30, resultTokens: 2_000 });
    const { action } = byProvider(numbers).propose(small)!;
    expect(action).toMatchObject({ edits: { aboveTokens: 80_000, freeAtLeastTokens: 40_000 } });
  });

  test("drops old thinking after a pause, if the provider can", () => {
    const rule = byProvider({ ...numbers, thinkingAfterIdleMinutes: 60 });
    const thinking = (idleMinutes: number, contextEdits: "results" | "results-and-thinking") => {
      const state = stateOf({ ...LARGE, idleMinutes });
      const { action } = rule.propose({ ...state, model: { ...state.model, contextEdits } })!;
      return action.kind === "ask-provider" && action.edits.thinking;
    };
    expect(thinking(60, "results-and-thinking")).toBe("last-turn");
    expect(thinking(59, "results-and-thinking")).toBe("all");
    expect(thinking(60, "results")).toBe("all");
  });
});

describe("byCacheEdit", () => {
  const rule = byCacheEdit({ atLeastResults: 12, keepNewest: 5 });

  test("deletes from the cached prompt, which stays warm", () => {
    const state = stateOf({ ...READS, cache: "warm", model: EDITING });
    const proposal = rule.propose(state)!;
    expect(proposal.action).toMatchObject({ kind: "delete-cached", entries: { length: 15 } });
    expect(proposal.keepsPrefixTokens).toBe(119_795);
  });

  test("proposes nothing if the provider cannot, the cache is cold, or there are too few results", () => {
    expect(rule.propose(stateOf({ ...READS, cache: "warm" }))).toBeUndefined();
    expect(rule.propose(stateOf({ ...READS, model: EDITING }))).toBeUndefined();
    expect(rule.propose(stateOf({ ...READS, cache: "warm", model: EDITING, results: 11 }))).toBeUndefined();
  });
});

test("no built-in rule makes an invalid proposal in any state", () => {
  const count = fc.integer({ min: 0, max: 20 });
  const clearing = fc.record({ keepNewest: count, minTokens: fc.integer({ min: 0, max: 5_000 }) });
  const rules = fc
    .record({ clearing, horizonRequests: count, share: fc.double({ min: 0, max: 1, noNaN: true }) })
    .map(({ clearing: numbers, horizonRequests, share }) => [
      whenCold(numbers),
      whenIdle({ ...numbers, minutes: 10 }),
      whenWarm({ ...numbers, horizonRequests }),
      toFit({ ...numbers, toShare: share }),
      bySize({ ...numbers, targetTokens: 5_000, nearLimitTokens: 100_000 }),
      byProvider({ ...numbers, aboveTokens: 20_000, freeAtLeastTokens: 1_000, thinkingAfterIdleMinutes: 10 }),
      byCacheEdit({ ...numbers, atLeastResults: 3 }),
    ]);
  const state = fc
    .record({
      model: fc.constantFrom(...Object.values(TEST_MODELS), EDITING),
      windowTokens: fc.constantFrom(8_000, 200_000, 1_000_000),
      share: fc.double({ min: 0.1, max: 1.2, noNaN: true }),
      cache: fc.constantFrom("new", "warm", "cold" as const),
      turn: fc.constantFrom("idle", "starting", "open" as const),
      results: fc.integer({ min: 0, max: 40 }),
      shown: fc.array(fc.constantFrom("whole", "stored", "cleared" as const), { minLength: 40, maxLength: 40 }),
    })
    .map(({ share, shown, windowTokens, ...options }) => {
      const tokens = Math.floor(windowTokens * share);
      const headTokens = Math.floor(tokens / 5);
      const resultTokens = Math.floor((tokens - headTokens) / 40);
      const made = stateOf({ ...options, windowTokens, tokens, headTokens, resultTokens });
      return { ...made, results: made.results.map((result, index) => ({ ...result, shown: shown[index]! })) };
    });
  let proposals = 0;
  fc.assert(
    fc.property(rules, state, (all, now) => {
      for (const rule of all) {
        const proposal = rule.propose(now);
        if (proposal === undefined) continue;
        proposals++;
        expect(problemOfProposal(proposal, now)).toBeUndefined();
        expect(rule.propose(now)).toEqual(proposal);
      }
    }),
    { numRuns: 300 },
  );
  expect(proposals).toBeGreaterThan(100);
});
