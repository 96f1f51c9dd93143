import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compactionSizes, compactProposal, compactsAt, type Decision, decide, ENGINE_RULE, price } from "./decide.ts";
import { frozenState } from "./guard.ts";
import type { ClearRule, CompactRule, NotesRule, Policy, Proposal } from "./policy.ts";
import { proposalOf, toFit, whenCold } from "./rules/clear.ts";
import { notesByGrowth } from "./rules/notes.ts";
import { window } from "./rules/when.ts";
import { CLASSIC_STUB, codingStub, STUBS, supportStub } from "./testing/stub-policy.ts";
import { type StateOptions, stateAfter, stateOf, TEST_MODELS } from "./testing.ts";
import type { WindowState } from "./window-state.ts";

const balanced = codingStub("balanced");
const READS = { tokens: 119_795, headTokens: 6_200, results: 20, resultTokens: 5_678, cache: "cold" } as const;
const FULL = { tokens: 190_000, results: 40, resultTokens: 3_000, windowTokens: 200_000 } as const;
const HUNDRED = { tokens: 100_000, results: 24, resultTokens: 2_400 } as const;

function taken(decision: Decision): Proposal {
  if (decision.kind === "nothing") throw new Error(`nothing was taken: ${decision.because}`);
  return decision.taken.proposal;
}

function withHistory(options: StateOptions, history: Partial<WindowState["history"]>): WindowState {
  const state = stateOf(options);
  return { ...state, history: { ...state.history, ...history } };
}

function withWhen(when: CompactRule["when"], base: Policy = balanced): Policy {
  return { ...base, compact: { ...base.compact, when } };
}

function withRule(propose: ClearRule["propose"]): Policy {
  return { ...balanced, clear: [{ name: "own", propose }, ...balanced.clear] };
}

describe("on a model whose thinking is bound to its prompt", () => {
  test("clears after a pause of two hours and does not compact", () => {
    const decision = decide(balanced, stateOf(READS));
    expect(taken(decision)).toMatchObject({
      action: { kind: "clear", thinking: "dropped" },
      freesTokens: 16 * (5_678 - 60),
    });
    expect(decision.weighed.map(({ rule }) => rule)).toContain("economic");
    expect(decide(balanced, stateAfter(stateOf(READS), taken(decision))).kind).toBe("nothing");
  });

  test("clears the same if the provider offers no edits", () => {
    const state = stateOf(READS);
    const without = { ...state, model: { ...state.model, contextEdits: "none" } as const };
    expect(taken(decide(balanced, without))).toEqual(taken(decide(balanced, state)));
  });

  test("compacts at 100,000 of 1,000,000 between turns, but not inside a turn, and not with `quality`", () => {
    expect(taken(decide(balanced, stateOf(HUNDRED))).action.kind).toBe("compact");
    expect(decide(balanced, stateOf({ ...HUNDRED, turn: "open" })).kind).toBe("nothing");
    expect(decide(codingStub("quality"), stateOf(HUNDRED)).kind).toBe("nothing");
  });

  test("compacts at 190,000 of 200,000, also inside a turn, where clearing would invalidate the thinking", () => {
    expect(taken(decide(balanced, stateOf(FULL))).level).toBe("required");
    const open = decide(balanced, stateOf({ ...FULL, turn: "open" }));
    expect(taken(open).action.kind).toBe("compact");
    expect(open.weighed.map(({ rule }) => rule)).not.toContain("to-fit");
  });

  test("clears instead of compacting without a summary, if clearing frees enough", () => {
    const breaker = "open" as const;
    expect(taken(decide(balanced, withHistory(FULL, { breaker }))).action.kind).toBe("clear");
    expect(taken(decide(balanced, withHistory({ ...FULL, turn: "open" }, { breaker }))).action.kind).toBe(
      "ask-provider",
    );
    const bare = decide(balanced, withHistory({ ...FULL, model: TEST_MODELS.plain, results: 0 }, { breaker }));
    expect(taken(bare).action).toEqual({ kind: "compact", by: "none" });
  });
});

/** The figures in docs for a model with bound thinking, $2 input, $0.20 read, $2.50 write, $10 output. */
describe("the price of proposals", () => {
  type Row = readonly [
    rule: string,
    after: number,
    now: number,
    later: number,
    savesNow: number,
    savesLater: number,
    net: number,
  ];
  const OPEN = { breaker: "open" } as const;
  const cases: readonly (readonly [situation: string, state: WindowState, rule: string, rows: readonly Row[]])[] = [
    [
      "20 reads in a cold cache",
      stateOf(READS),
      "when-cold",
      [
        ["when-cold", 29_907, 0, 0.045, 0.225, 0.911, 1.09],
        ["economic", 36_200, 0.28, 0.034, 0.209, 0.892, 0.787],
      ],
    ],
    ["100,000 of 1,000,000, warm", stateOf(HUNDRED), "economic", [["economic", 36_000, 0.116, 0.034, 0, 0.661, 0.511]]],
    [
      "150,000 of 1,000,000 inside a turn",
      stateOf({ tokens: 150_000, results: 36, resultTokens: 2_400, turn: "open" }),
      "economic",
      [
        ["by-provider", 75_120, 0.141, 0.064, 0, 0.798, 0.593],
        ["economic", 36_000, 0.115, 0.034, 0, 1.251, 1.101],
      ],
    ],
    [
      "190,000 of 200,000, warm",
      stateOf(FULL),
      "window",
      [
        ["to-fit", 107_680, 0.213, 0.062, 0, 0.896, 0.622],
        ["window", 36_000, 0.115, 0.034, 0, 1.723, 1.573],
      ],
    ],
    [
      "190,000 of 200,000 with an open breaker",
      withHistory(FULL, OPEN),
      "to-fit",
      [
        ["to-fit", 107_680, 0.213, 0.062, 0, 0.896, 0.622],
        ["window", 36_000, 0.034, 0.2, 0, 1.212, 0.977],
      ],
    ],
    [
      "190,000 of 200,000 inside a turn with an open breaker",
      withHistory({ ...FULL, turn: "open" }, OPEN),
      "by-provider",
      [["by-provider", 84_160, 0.154, 0.079, 0, 1.134, 0.901]],
    ],
    [
      "105,000, with prices five times as high above 100,000",
      stateOf({ tokens: 105_000, results: 24, resultTokens: 2_400, model: TEST_MODELS.tiered }),
      "economic",
      [["economic", 36_000, 0.016, 0.002, 0.002, 0.284, 0.268]],
    ],
  ];

  test.each(cases)("%s", (_, state, rule, rows) => {
    const decision = decide(balanced, state);
    expect(decision.kind === "take" && decision.taken.rule).toBe(rule);
    for (const [name, afterTokens, ...usd] of rows) {
      const one = decision.weighed.find(({ rule }) => rule === name)!;
      expect(one.afterTokens).toBe(afterTokens);
      const found = [one.costNow, one.costLater, one.savesNow, one.savesLater, one.net];
      for (const [index, units] of found.entries()) expect(Math.abs(units * 1e-6 - usd[index]!)).toBeLessThan(0.0006);
    }
  });

  test("says the decision in words and figures", () => {
    expect(decide(balanced, stateOf(HUNDRED)).because).toBe(
      "economic pays: 100,000 tokens, and saving starts at 100,000; frees 64,000 tokens and saves $0.5107 over 60 requests",
    );
    const plain = stateOf({ ...READS, model: TEST_MODELS.plain });
    expect(decide(balanced, plain).because).toBe(
      "when-cold pays: the prompt cache expired, after 120 minutes without a request; 16 results; frees 89,888 tokens and saves 545,059 units over 60 requests",
    );
    expect(decide(balanced, stateOf({ tokens: 20_000 })).because).toBe("no rule makes a proposal");
  });

  test("counts a cost in dollars only if the prices are known", () => {
    const proposal = proposalOf(stateOf(READS).results.slice(0, 5), stateOf(READS), {
      level: "if-it-pays",
      because: "test",
    })!;
    const cost = (model: StateOptions["model"], extraUsd: number): number =>
      price("own", { ...proposal, extraUsd }, stateOf({ ...READS, model }), balanced).costNow;
    expect(cost(TEST_MODELS.bound, 0.5)).toBeCloseTo(500_000);
    expect(cost(TEST_MODELS.plain, 0.5)).toBe(0);
  });
});

describe("the choice", () => {
  const clearing = (name: string, entries: readonly number[], level: Proposal["level"]): ClearRule => ({
    name,
    propose: (state) =>
      proposalOf(
        state.results.filter(({ entry }) => entries.includes(entry)),
        state,
        { level, because: name },
      ),
  });
  const warm = stateOf({ tokens: 100_000, results: 20, resultTokens: 4_000, model: TEST_MODELS.free });
  const only = (...clear: readonly ClearRule[]): Policy => ({ ...withWhen(() => undefined), clear });

  test("takes a requested proposal at any price, before one that pays", () => {
    const decision = decide(only(clearing("cheap", [10], "requested"), whenCold({ keepNewest: 4 })), stateOf(READS));
    expect(decision).toMatchObject({ kind: "take", taken: { rule: "cheap" } });
    expect(decide(only(clearing("dear", [10], "requested")), warm)).toMatchObject({
      kind: "take",
      taken: { rule: "dear", net: expect.any(Number) },
    });
  });

  test("takes the first of two equal proposals", () => {
    const decision = decide(only(clearing("one", [10], "requested"), clearing("two", [10], "requested")), warm);
    expect(decision).toMatchObject({ taken: { rule: "one" } });
  });

  test("takes the milder of two proposals that are nearly as good", () => {
    const edit: ClearRule = {
      name: "edit",
      propose: (state) => {
        const proposal = clearing("edit", [10, 12, 14], "requested").propose(state)!;
        const edits = {
          aboveTokens: 0,
          freeAtLeastTokens: 0,
          keepNewest: 3,
          keepTools: [],
          inputsOf: [],
          thinking: "all",
        } as const;
        return {
          ...proposal,
          action: { kind: "ask-provider", edits },
          comesBack: { tokens: 1_500, requests: 0.4 },
          undo: "counted",
        };
      },
    };
    const decision = decide(only(edit, clearing("clear", [10, 12, 14], "requested")), warm);
    expect(decision).toMatchObject({ taken: { rule: "clear" } });
    expect(decision.weighed.map(({ net }) => net)).toEqual(
      decision.weighed.map(({ net }) => net).toSorted((a, b) => b - a),
    );
    const strict = {
      ...only(edit, clearing("clear", [10, 12, 14], "requested")),
      weigh: { ...balanced.weigh, tieShare: 0 },
    };
    expect(decide(strict, warm)).toMatchObject({ taken: { rule: "edit" } });
  });

  test("does nothing if no proposal saves more than a tenth of the next request", () => {
    const decision = decide(only(clearing("late", [10], "if-it-pays")), warm);
    expect(decision.kind).toBe("nothing");
    expect(decision.because).toMatch(/^late: it does not pay: it (saves|costs) \$0\.\d{4} over 60 requests$/);
  });

  test("never takes a proposal for a full window in a window that is not full", () => {
    const decision = decide(only(toFit({ keepNewest: 4, toShare: 0.05 })), warm);
    expect(decision).toMatchObject({ kind: "nothing", because: "to-fit: only if the window is full" });
  });

  test("does nothing before the first request", () => {
    const decision = decide(balanced, stateOf({ ...HUNDRED, cache: "new" }));
    expect(decision).toMatchObject({ kind: "nothing", because: "economic: nothing has been sent yet" });
  });

  test("passes over a required proposal that frees too little", () => {
    const little = withRule((state) =>
      proposalOf(state.results.filter(({ shown }) => shown === "whole").slice(0, 1), state, {
        level: "required",
        because: "x",
      }),
    );
    const decision = decide(little, stateOf({ ...FULL, model: TEST_MODELS.free }));
    expect(decision).toMatchObject({ taken: { rule: "window" } });
  });

  test("takes the largest step if nothing frees enough, and says so", () => {
    const kept = { entry: 5, turnsAgo: 1, keptTokens: 165_000, undone: false };
    const state = withHistory(
      { ...FULL, turn: "open", model: TEST_MODELS.plain, results: 0 },
      { lastCompaction: kept },
    );
    expect(decide(balanced, state).because).toContain("window frees the most");
  });

  test("says that nothing can be done if the head alone fills the window", () => {
    const decision = decide(balanced, stateOf({ tokens: 185_000, headTokens: 185_000, windowTokens: 200_000 }));
    expect(decision).toMatchObject({
      kind: "nothing",
      because: expect.stringContaining("nothing can be cleared or compacted"),
    });
  });

  test("acts at the byte limit as at the hard limit", () => {
    const state = stateOf({ tokens: 50_000 });
    const heavy = { ...state, size: { ...state.size, bytes: 33_000_000 } };
    expect(decide(balanced, heavy)).toMatchObject({ taken: { rule: ENGINE_RULE } });
    expect(decide(balanced, heavy).because).toContain("33,000,000 bytes have reached the limit of 32,000,000");
  });

  test("never compacts if the user has switched compaction off", () => {
    expect(taken(decide(balanced, stateOf(FULL), "off")).action.kind).toBe("clear");
    expect(decide(balanced, stateOf({ ...FULL, results: 0 }), "off").kind).toBe("nothing");
    expect(decide(balanced, stateOf({ ...FULL, results: 0 })).kind).toBe("take");
  });
});

describe("a compaction as a proposal", () => {
  const reason = { level: "if-it-pays", because: "test" } as const;
  const notesRule: NotesRule = notesByGrowth({ firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 });
  const withNotes: Policy = { ...balanced, notes: notesRule };
  const notes = { coveredTo: 90, tokens: 3_000, uncoveredTokens: 12_000, toolCallsSince: 2 };
  const by = (policy: Policy, state: WindowState) => compactProposal(policy, state, reason);

  test("needs a call for a summary, and none for a prepared summary, whose tail stays", () => {
    expect(by(balanced, stateOf(HUNDRED))).toMatchObject({
      action: { by: "summary" },
      freesTokens: 64_000,
      call: { inputTokens: 100_000, outputTokens: 4_000 },
    });
    const prepared = {
      entry: 90,
      from: 1,
      to: 80,
      tokens: 4_000,
      tailTokens: 9_000,
      installs: "when-decided",
    } as const;
    const proposal = by(balanced, stateOf({ ...HUNDRED, more: { prepared } }));
    expect(proposal).toMatchObject({ action: { by: "prepared" }, freesTokens: 55_000 });
    expect(proposal.call).toBeUndefined();
  });

  test("uses notes that cover enough, and keeps what they do not cover", () => {
    expect(by(withNotes, stateOf({ ...HUNDRED, more: { notes } }))).toMatchObject({
      action: { by: "notes" },
      freesTokens: 100_000 - 6_000 - 15_000,
    });
    for (const more of [{ tokens: 0 }, { uncoveredTokens: 85_000 }])
      expect(by(withNotes, stateOf({ ...HUNDRED, more: { notes: { ...notes, ...more } } })).action).toMatchObject({
        by: "summary",
      });
    expect(by(balanced, stateOf({ ...HUNDRED, more: { notes } })).action).toMatchObject({ by: "summary" });
    const old = { entry: 90, turnsAgo: 1, keptTokens: 30_000, undone: false };
    const state = withHistory({ ...HUNDRED, more: { notes } }, { lastCompaction: old });
    expect(by(withNotes, { ...state, notes }).action).toMatchObject({ by: "summary" });
  });

  test("expects a third of the content again if there is no summary against the policy's will", () => {
    for (const history of [{ breaker: "open" }, { callsLeft: 0 }] as const)
      expect(by(balanced, withHistory(HUNDRED, history))).toMatchObject({
        action: { by: "none" },
        comesBack: { tokens: Math.ceil(64_000 / 3), requests: 10 },
      });
    const wanted: Policy = { ...balanced, compact: { ...balanced.compact, summary: { kind: "none" } } };
    expect(by(wanted, stateOf(HUNDRED))).toMatchObject({ action: { by: "none" }, comesBack: { tokens: 8_000 } });
  });

  test("keeps less than expected in a small window, and as much as measured after the first compaction", () => {
    expect(by(balanced, stateOf({ tokens: 20_000, windowTokens: 30_000 })).freesTokens).toBe(20_000 - 6_000 - 8_000);
    const lastCompaction = { entry: 5, turnsAgo: 3, keptTokens: 41_000, undone: false };
    expect(by(balanced, withHistory(HUNDRED, { lastCompaction })).freesTokens).toBe(53_000);
  });

  test("makes room in a full window that is smaller than the last compaction kept", () => {
    const lastCompaction = { entry: 9, turnsAgo: 1, keptTokens: 60_000, undone: false } as const;
    const state = withHistory({ tokens: 31_000, windowTokens: 32_000, results: 0 }, { lastCompaction });
    const { action, freesTokens } = taken(decide(balanced, state));
    expect(action.kind).toBe("compact");
    expect(freesTokens).toBe(31_000 * balanced.compact.minShrinkShare);
  });
});

describe("a compaction that only saves money", () => {
  test.each([
    [{ held: "opened" }, /opened again/],
    [{ held: "restored" }, /undid a compaction/],
    [{ held: "failed" }, /failed/],
    [{ breaker: "open" }, /no summary/],
    [{ lastCompaction: { entry: 5, turnsAgo: 3, keptTokens: 30_000, undone: true } }, /undone/],
    [{ grownTokens: 10_000 }, /has grown by 10,000 tokens .* has to grow by 18,800/],
  ] as const)("does not run with %o", (history, why) => {
    const decision = decide(balanced, withHistory(HUNDRED, history));
    expect(decision.kind).toBe("nothing");
    expect(decision.because).toMatch(why);
  });

  test("waits for no obstacle if the window needs it", () => {
    const undone = { entry: 5, turnsAgo: 3, keptTokens: 30_000, undone: true };
    for (const history of [{ held: "restored" }, { lastCompaction: undone }, { grownTokens: 0 }] as const)
      expect(taken(decide(balanced, withHistory(FULL, history))).action.kind).toBe("compact");
  });

  test("shrinks the window by a fifth at least, at any level below the hard limit", () => {
    const lastCompaction = { entry: 5, turnsAgo: 3, keptTokens: 80_000, undone: false };
    for (const level of ["if-it-pays", "requested", "required"] as const) {
      const decision = decide(
        withWhen(() => ({ level, because: "test" })),
        withHistory(HUNDRED, { lastCompaction }),
      );
      expect(decision).toMatchObject({
        kind: "nothing",
        because: "compact: it would shrink the window by less than 20%",
      });
    }
  });
});

describe("rules that break the interface", () => {
  const usual = taken(decide(balanced, stateOf(READS)));
  const proposal: Proposal = {
    action: { kind: "clear", entries: [10], thinking: "dropped" },
    level: "requested",
    because: "test",
    freesTokens: 100,
    keepsPrefixTokens: 6_200,
    undo: "exact",
  };
  const clear = (entries: unknown) => ({ kind: "clear", entries, thinking: "dropped" });
  const edits = { aboveTokens: 1, freeAtLeastTokens: 1, keepNewest: 1, keepTools: [], inputsOf: [], thinking: "all" };
  const cases: readonly (readonly [what: string, propose: () => unknown, why: RegExp])[] = [
    [
      "throws",
      () => {
        throw new Error("boom");
      },
      /it threw: boom/,
    ],
    [
      "throws undefined",
      () => {
        throw undefined;
      },
      /it threw: undefined/,
    ],
    [
      "throws a value without a text",
      () => {
        throw Object.create(null);
      },
      /no text/,
    ],
    ["is asynchronous", async () => proposal, /promise/],
    [
      "rejects",
      async () => {
        throw new Error("late");
      },
      /promise/,
    ],
    ["returns text", () => "clear everything", /returned "clear everything"/],
    ["returns null", () => null, /returned null/],
    ["returns an empty object", () => ({}), /its level is undefined/],
    ["returns a function", () => () => proposal, /could not be cloned/],
    ["returns NaN", () => ({ ...proposal, freesTokens: Number.NaN }), /freesTokens is NaN/],
    ["returns infinity", () => ({ ...proposal, freesTokens: Number.POSITIVE_INFINITY }), /freesTokens is Infinity/],
    ["returns a text as a number", () => ({ ...proposal, keepsPrefixTokens: "1" }), /keepsPrefixTokens is "1"/],
    ["returns a negative cost", () => ({ ...proposal, extraUsd: -1_000 }), /extraUsd is -1000/],
    ["returns half a call", () => ({ ...proposal, call: { inputTokens: 1 } }), /call.outputTokens is undefined/],
    ["returns a call that is null", () => ({ ...proposal, call: null }), /Cannot read/],
    ["has no reason", () => ({ ...proposal, because: undefined }), /because/],
    ["invents a level", () => ({ ...proposal, level: "now!" }), /its level is "now!"/],
    [
      "frees more than there is",
      () => ({ ...proposal, freesTokens: 1_000_000 }),
      /frees 1,000,000 tokens, and the conversation has 113,595/,
    ],
    ["keeps more than there is", () => ({ ...proposal, keepsPrefixTokens: 1_000_000 }), /keeps 1,000,000/],
    ["clears an entry that is not a result", () => ({ ...proposal, action: clear([11]) }), /entry 11/],
    ["clears an entry twice", () => ({ ...proposal, action: clear([10, 10]) }), /entry 10/],
    ["clears no list", () => ({ ...proposal, action: clear("all") }), /entries is "all"/],
    ["clears more entries than there are", () => ({ ...proposal, action: clear(Array(21).fill(10)) }), /21 entries/],
    ["keeps bound thinking", () => ({ ...proposal, action: { ...proposal.action, thinking: "stays" } }), /"dropped"/],
    ["compacts", () => ({ ...proposal, action: { kind: "compact", by: "summary" } }), /use compact.when/],
    ["invents an action", () => ({ ...proposal, action: { kind: "explode" } }), /its action is "explode"/],
    ["has no action", () => ({ ...proposal, action: undefined }), /its action is undefined/],
    [
      "deletes from a cache that cannot",
      () => ({ ...proposal, action: { kind: "delete-cached", entries: [10] } }),
      /deletes nothing/,
    ],
    [
      "asks for wrong edits",
      () => ({ ...proposal, action: { kind: "ask-provider", edits: { ...edits, keepNewest: -1 } } }),
      /keepNewest/,
    ],
    ["asks for no edits", () => ({ ...proposal, action: { kind: "ask-provider" } }), /edits is undefined/],
    [
      "keeps no list of tools",
      () => ({ ...proposal, action: { kind: "ask-provider", edits: { ...edits, keepTools: "Bash" } } }),
      /keepTools/,
    ],
    [
      "asks for other thinking",
      () => ({ ...proposal, action: { kind: "ask-provider", edits: { ...edits, thinking: "none" } } }),
      /thinking/,
    ],
    ["cannot be undone", () => ({ ...proposal, undo: "maybe" }), /undo is "maybe"/],
    [
      "throws when it is read",
      () =>
        Object.defineProperty({ ...proposal }, "level", {
          enumerable: true,
          get() {
            throw new Error("trap");
          },
        }),
      /trap/,
    ],
  ];

  test.each(cases)("a rule that %s is left out and reported", (_, propose, why) => {
    const decision = decide(withRule(propose as ClearRule["propose"]), frozenState(stateOf(READS)));
    expect(taken(decision)).toEqual(usual);
    expect(decision.failed).toEqual([
      { rule: "own", where: expect.stringMatching("propose"), why: expect.stringMatching(why) },
    ]);
  });

  test("a rule that writes into the state is left out and reported", () => {
    const decision = decide(
      withRule((state) => {
        (state.results as unknown[]).length = 0;
        return undefined;
      }),
      frozenState(stateOf(READS)),
    );
    expect(taken(decision)).toEqual(usual);
    expect(decision.failed).toMatchObject([{ rule: "own" }]);
  });

  test("a rule claims at most the tokens of its results, unless thinking goes with them", () => {
    const free = stateOf({ ...READS, model: TEST_MODELS.free });
    const stays = { ...proposal, action: { ...proposal.action, thinking: "stays" } as Proposal["action"] };
    expect(
      decide(
        withRule(() => ({ ...stays, freesTokens: 50_000 })),
        free,
      ).failed[0]?.why,
    ).toContain("its results have 5,678");
    expect(
      decide(
        withRule(() => ({ ...proposal, freesTokens: 50_000 })),
        stateOf(READS),
      ).failed,
    ).toEqual([]);
  });

  test("a rule cannot change its proposal later, and the log gets only known fields", () => {
    const mine = { ...proposal, note: "x", action: { ...proposal.action, entries: [10] } };
    const decision = decide(
      withRule(() => mine as Proposal),
      stateOf(READS),
    );
    mine.action.entries.push(12);
    expect(taken(decision).action).toEqual({ kind: "clear", entries: [10], thinking: "dropped" });
    expect(taken(decision)).not.toHaveProperty("note");
  });

  test("a long explanation is cut", () => {
    const decision = decide(
      withRule(() => ({ ...proposal, because: "y".repeat(1_000_000) })),
      stateOf(READS),
    );
    expect(taken(decision).because).toHaveLength(400);
  });

  test("a rule that failed three times in a row is not called", () => {
    let calls = 0;
    const policy = withRule(() => {
      calls++;
      return undefined;
    });
    const decision = decide(policy, withHistory(READS, { failures: { own: 3 } }));
    expect([calls, decision.paused]).toEqual([0, ["own"]]);
    decide(policy, withHistory(READS, { failures: { own: 2 } }));
    expect(calls).toBe(1);
  });

  test("a full window is compacted under a `when` that throws, returns a promise, or never gives a reason", () => {
    const whens: readonly CompactRule["when"][] = [
      () => {
        throw new Error("boom");
      },
      (async () => {
        throw new Error("late");
      }) as unknown as CompactRule["when"],
      () => undefined,
      () => ({ level: "now!" as never, because: "" }),
    ];
    for (const when of whens) {
      const decision = decide({ ...withWhen(when), clear: [] }, stateOf({ ...FULL, results: 0 }));
      expect(decision).toMatchObject({ taken: { rule: ENGINE_RULE, proposal: { action: { kind: "compact" } } } });
    }
  });

  test("a `when` that always wants a compaction does not compact a compacted conversation", () => {
    const eager = withWhen(() => ({ level: "if-it-pays", because: "always" }));
    const once = stateAfter(stateOf(HUNDRED), taken(decide(eager, stateOf(HUNDRED))));
    expect(decide(eager, once).kind).toBe("nothing");
  });
});

describe("a growing session", () => {
  interface Growth {
    readonly policy: Policy;
    readonly requests: number;
    /** What a compaction really keeps. */
    readonly keptTokens: number;
    readonly growth?: (request: number) => number;
  }

  /** Counts the compactions of a warm session. */
  function run({ policy, requests, keptTokens, growth = () => 1_350 }: Growth): number {
    let state: WindowState = stateOf({ tokens: 20_000 });
    let compactions = 0;
    for (let request = 0; request < requests; request++) {
      const tokens = state.size.tokens + growth(request);
      const grownTokens = state.history.grownTokens + tokens - state.size.tokens;
      const { segments } = stateOf({ tokens }).cache;
      state = {
        ...state,
        size: { ...state.size, tokens },
        cache: { ...state.cache, segments },
        history: { ...state.history, grownTokens },
      };
      const decision = decide(policy, state);
      if (decision.kind === "nothing") continue;
      compactions++;
      const real = Math.min(state.size.tokens, state.size.headTokens + keptTokens);
      const lastCompaction = { entry: request, turnsAgo: 0, keptTokens: real - state.size.headTokens, undone: false };
      const after = stateAfter(state, taken(decision));
      state = { ...after, size: { ...after.size, tokens: real }, history: { ...after.history, lastCompaction } };
    }
    return compactions;
  }

  test("is compacted as often as it fills the window to the threshold", () => {
    const filled = (300 * 1_350 + 14_000 - 94_000) / (94_000 - 30_000);
    expect(run({ policy: balanced, requests: 300, keptTokens: 30_000 })).toBe(Math.floor(filled) + 1);
  });

  test("is compacted again only after real growth, if a compaction keeps nearly everything", () => {
    expect(run({ policy: balanced, requests: 100, keptTokens: 92_000 })).toBeLessThanOrEqual(3);
  });

  test.each([
    ["a threshold below the size that a compaction keeps", window({ percent: 2 })],
    ["a rule that always requests one", () => ({ level: "requested", because: "always" }) as const],
  ])("is not compacted before every request by %s", (_, when) => {
    const compactions = run({ policy: withWhen(when), requests: 100, keptTokens: 30_000 });
    expect(compactions).toBeGreaterThan(5);
    expect(compactions).toBeLessThanOrEqual(15);
  });

  test("is never compacted more often than it grows by a fifth, under any rule", () => {
    const level = fc.constantFrom("required", "requested", "if-it-pays", "when-full" as const);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 0, max: 120_000 }),
        level,
        (sizes, keptTokens, always) => {
          const policy = withWhen(() => ({ level: always, because: "always" }));
          const compactions = run({ policy, requests: sizes.length, keptTokens, growth: (request) => sizes[request]! });
          const grown = 14_000 + sizes.reduce((sum, tokens) => sum + tokens, 0);
          // The first compaction relies on the estimate. Each further one removes a fifth of at least 6,000 + keptTokens.
          const least = Math.max(1, 0.2 * (6_000 + Math.min(keptTokens, 14_000)));
          expect(compactions).toBeLessThanOrEqual(2 + grown / least);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("every policy", () => {
  const anyState = fc
    .record({
      policy: fc.constantFrom(...STUBS),
      model: fc.constantFrom(...Object.values(TEST_MODELS)),
      windowTokens: fc.constantFrom(8_000, 32_000, 200_000, 1_000_000),
      share: fc.double({ min: 0.05, max: 1.3, noNaN: true }),
      headShare: fc.double({ min: 0, max: 1, noNaN: true }),
      cache: fc.constantFrom("new", "warm", "cold" as const),
      turn: fc.constantFrom("idle", "starting", "open" as const),
      results: fc.integer({ min: 0, max: 60 }),
      resultShare: fc.double({ min: 0, max: 1, noNaN: true }),
      breaker: fc.constantFrom("open", "closed" as const),
      callsLeft: fc.integer({ min: 0, max: 8 }),
    })
    .map(({ policy, windowTokens, share, headShare, results, resultShare, breaker, callsLeft, ...options }) => {
      const tokens = Math.floor(windowTokens * share);
      const headTokens = Math.floor(tokens * headShare);
      const resultTokens = results === 0 ? 0 : Math.floor(((tokens - headTokens) * resultShare) / results);
      const state = withHistory(
        { ...options, windowTokens, tokens, headTokens, results, resultTokens },
        { breaker, callsLeft },
      );
      return { policy, state: frozenState(state) };
    });

  test("decides the same for the same state, and nothing fails", () => {
    fc.assert(
      fc.property(anyState, ({ policy, state }) => {
        const decision = decide(policy, state);
        expect(decision).toEqual(decide(policy, state));
        expect(decision.failed).toEqual([]);
        expect(JSON.parse(JSON.stringify(decision))).toMatchObject({ kind: decision.kind });
        for (const { net, afterTokens } of decision.weighed) {
          expect(Number.isFinite(net)).toBe(true);
          expect(afterTokens).toBeGreaterThanOrEqual(state.size.headTokens);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("makes a full window fit, or says that it cannot", () => {
    let full = 0;
    fc.assert(
      fc.property(anyState, ({ policy, state: first }) => {
        let state = first;
        for (let step = 0; step < 10; step++) {
          if (state.size.tokens < state.window.hardLimitTokens) return;
          full++;
          const decision = decide(policy, state);
          if (decision.kind === "nothing") {
            expect(decision.because).toContain("nothing can be cleared or compacted");
            expect(decision.weighed.every(({ proposal }) => proposal.freesTokens === 0)).toBe(true);
            return;
          }
          const after = stateAfter(state, decision.taken.proposal);
          expect(after.size.tokens).toBeLessThan(state.size.tokens);
          state = after;
        }
        throw new Error("the window is still full after ten decisions");
      }),
      { numRuns: 300 },
    );
    expect(full).toBeGreaterThan(30);
  });

  test("never saves money at the expense of content", () => {
    fc.assert(
      fc.property(anyState, ({ policy, state }) => {
        const decision = decide(policy, state);
        if (decision.kind === "nothing" || decision.taken.proposal.level !== "if-it-pays") return;
        const isFull = state.size.tokens >= state.window.hardLimitTokens;
        const { action } = decision.taken.proposal;
        if (
          !isFull &&
          action.kind === "compact" &&
          !decision.weighed.some(({ proposal }) => proposal.level === "required")
        )
          expect(action.by).not.toBe("none");
      }),
      { numRuns: 300 },
    );
  });
});

describe("the size at which a policy compacts", () => {
  test("comes from the policy's own rules", () => {
    const small = stateOf({ tokens: 20_000, windowTokens: 200_000 });
    expect(compactsAt(codingStub("quality"), small, "starting")).toBe(167_000);
    expect(compactionSizes(balanced, stateOf({ tokens: 20_000 }))).toEqual({
      betweenTurnsTokens: 100_000,
      inTurnTokens: 150_000,
    });
    expect(compactionSizes(balanced, stateOf({ tokens: 20_000, keptWarm: true }))).toEqual({
      betweenTurnsTokens: 130_000,
      inTurnTokens: 167_000,
    });
    expect(compactionSizes(codingStub("economy"), stateOf({ tokens: 20_000, keptWarm: true }))).toEqual({
      betweenTurnsTokens: 100_000,
      inTurnTokens: 150_000,
    });
    expect(compactionSizes(CLASSIC_STUB, stateOf({ tokens: 20_000, windowTokens: 200_000 }))).toEqual({
      betweenTurnsTokens: 167_000,
      inTurnTokens: 167_000,
    });
    expect(compactsAt(supportStub("economy"), small, "starting")).toBe(20_000);
  });

  test("is the hard limit if the policy has no reason before", () => {
    expect(
      compactsAt(
        withWhen(() => undefined),
        stateOf({ tokens: 20_000, windowTokens: 200_000 }),
        "open",
      ),
    ).toBe(177_000);
    const broken = withWhen(() => {
      throw new Error("boom");
    });
    expect(compactsAt(broken, stateOf({ tokens: 20_000, windowTokens: 200_000 }), "open")).toBe(177_000);
  });

  test("does not depend on the present size, cache, results or obstacles", () => {
    const states = [
      stateOf(READS),
      withHistory(
        { ...HUNDRED, headTokens: 6_200, turn: "open" },
        { held: "failed", breaker: "open", callsLeft: 0, grownTokens: 0 },
      ),
      stateOf({ tokens: 500_000, headTokens: 6_200, cache: "new" }),
    ];
    expect(states.map((state) => compactsAt(balanced, state, "starting"))).toEqual([100_000, 100_000, 100_000]);
  });

  test("grows with the size that the last compaction kept", () => {
    const lastCompaction = { entry: 5, turnsAgo: 3, keptTokens: 120_000, undone: false };
    const atTokens = compactsAt(balanced, withHistory(HUNDRED, { lastCompaction }), "starting");
    expect(atTokens).toBeGreaterThan(150_000);
    const there = (tokens: number) => decide(balanced, withHistory({ tokens }, { lastCompaction })).kind;
    expect([there(atTokens - 500), there(atTokens + 500)]).toEqual(["nothing", "take"]);
  });
});
