import { describe, expect, test } from "vitest";
import type { KeepPart, Policy, SummaryForm } from "./policy.ts";
import { codingStub, STUB_FORM, STUBS } from "./testing/stub-policy.ts";
import { gridOfStates, testPolicy } from "./testing.ts";

const base = codingStub("balanced");
const compact = (more: Partial<Policy["compact"]>): Policy => ({ ...base, compact: { ...base.compact, ...more } });

test("the grid has 3,456 frozen states", () => {
  let count = 0;
  for (const state of gridOfStates()) {
    if (count++ % 100 === 0) expect(Object.isFrozen(state.results)).toBe(true);
    expect(state.size.headTokens).toBeLessThan(state.size.tokens);
  }
  expect(count).toBe(3_456);
});

test.each(STUBS.map((policy) => [policy.name, policy] as const))("the numbers of %s are sound", (_, policy) => {
  expect(testPolicy(policy)).toEqual([]);
});

/** Each 29th state, so that all models, windows and caches occur. */
const SAMPLE = [...gridOfStates()].filter((_, index) => index % 29 === 0);
const problemsOf = (policy: Policy) => testPolicy(policy, { states: SAMPLE });

describe("testPolicy finds", () => {
  test("a policy of the wrong shape, without running it", () => {
    expect(problemsOf({ ...base, clear: "none" } as unknown as Policy)).toEqual([
      'policy.clear is "none", and has to be a list',
    ]);
  });

  test("a rule that counts its calls", () => {
    let calls = 0;
    const when = () => (calls++ % 2 === 0 ? undefined : ({ level: "requested", because: "odd" } as const));
    expect(problemsOf(compact({ when }))).toContain("the same state gives two decisions: a rule is not pure");
    const range = () => ({ to: 10 + (calls++ % 7) });
    expect(problemsOf(compact({ range }))).toContain("the same state gives two answers: a rule is not pure");
  });

  test("a rule that throws, writes into the state, or returns a promise", () => {
    const clear = [
      {
        name: "throws",
        propose: () => {
          throw new Error("boom");
        },
      },
      {
        name: "writes",
        propose: (state: object) => {
          Object.assign(state, { results: [] });
          return undefined;
        },
      },
      { name: "waits", propose: () => Promise.reject(new Error("late")) as never },
    ];
    const problems = problemsOf({ ...base, clear });
    expect(problems).toContain("throws, propose: it threw: boom");
    expect(problems.some((problem) => problem.startsWith("writes, propose: it threw"))).toBe(true);
    expect(problems).toContain("waits, propose: it returned a promise; it has to return its result at once");
  });

  test("a decision that takes too long", () => {
    expect(testPolicy(base, { states: SAMPLE, maxMs: 0 })).toEqual([
      expect.stringMatching(/^a decision takes \d+\.\d\d ms on average/),
    ]);
  });

  test("a lifetime and a threshold that do not exist", () => {
    const problems = problemsOf({
      ...base,
      store: { ...base.store, thresholdOf: () => 5 },
      cache: { name: "own", head: () => "2h" as never, conversation: () => "5m" },
    });
    expect(problems).toEqual([
      expect.stringMatching(/^store, threshold: its threshold for Bash is 5/),
      'cache, lifetime: it chose "2h", and bound offers 5m, 1h',
      'cache, lifetime: it chose "2h", and free offers 5m, 1h',
      'cache, lifetime: it chose "2h", and tiered offers 5m, 1h',
    ]);
  });

  const part = (collect: Partial<KeepPart["collect"]>): KeepPart => ({
    name: "own",
    budget: { maxTokens: 1_000, share: 0.1 },
    collect: { version: 1, empty: [], maxBytes: 1_000, add: (state) => state, ...collect },
    plan: () => [],
    render: () => [],
  });

  test("a part that collects too much, throws, or is not pure", () => {
    const greedy = part({ add: (_, { text }) => text });
    expect(problemsOf(compact({ keep: [greedy] }))).toContain(
      "part own, collect: it collected 1000002 bytes, and maxBytes is 1000",
    );
    let calls = 0;
    expect(problemsOf(compact({ keep: [part({ add: () => calls++ })] }))).toContain(
      "part own, collect: it is not pure",
    );
    const broken = part({
      add: () => {
        throw new Error("boom");
      },
    });
    expect(problemsOf(compact({ keep: [broken] }))).toContain("part own, collect: it threw: boom");
    expect(problemsOf(compact({ keep: [part({})] }))).toEqual([]);
  });

  test("a check of a summary that fails, wherever the form stands", () => {
    const form: SummaryForm = {
      ...STUB_FORM,
      check: () => {
        throw new Error("boom");
      },
    };
    const summaries: readonly Policy["compact"]["summary"][] = [
      form,
      { kind: "native", name: "native", otherwise: form },
      { kind: "function", name: "own", write: async () => "text", timeoutMs: 1_000, otherwise: form },
    ];
    for (const summary of summaries)
      expect(problemsOf(compact({ summary }))).toContain("summary, check: it threw: boom");
    expect(problemsOf(compact({ summary: async () => "text" }))).toEqual([]);
  });
});
