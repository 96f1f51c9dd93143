import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkPolicy } from "./check.ts";
import type { KeepPart, Policy } from "./policy.ts";
import { notesByGrowth } from "./rules/notes.ts";
import { storeNothing } from "./rules/store.ts";
import { codingStub, STUB_FORM, STUBS } from "./testing/stub-policy.ts";

const base = codingStub("balanced");
const compact = (more: object): unknown => ({ ...base, compact: { ...base.compact, ...more } });
const form = (more: object): unknown => compact({ summary: { ...STUB_FORM, ...more } });
const part = (name: string, share: number, more: object = {}): KeepPart => ({
  name,
  budget: { maxTokens: 1_000, share },
  plan: () => [],
  render: () => [],
  ...more,
});

test("finds nothing wrong with sound policies", () => {
  const collect = { version: 1, empty: [], maxBytes: 1_000, add: () => [] };
  const others: readonly unknown[] = [
    {
      ...base,
      store: storeNothing(),
      clear: [],
      notes: notesByGrowth({ firstTokens: 1, growthTokens: 1, toolCalls: 1 }),
    },
    compact({ summary: async () => "text", keep: [part("a", 0.5), part("b", 0.5, { collect })] }),
    compact({ summary: { kind: "none" }, prepareAhead: undefined }),
    compact({ summary: { kind: "native", name: "native", otherwise: STUB_FORM } }),
    compact({
      summary: { kind: "function", name: "own", write: async () => "text", timeoutMs: 1_000, otherwise: STUB_FORM },
    }),
    compact({ keep: Array.from({ length: 10 }, (_, index) => part(`part ${index}`, 0.1)) }),
    { ...base, cache: { ...base.cache, keepWarm: { name: "never", obstacle: () => "no" } } },
  ];
  expect([...STUBS, ...others].flatMap(checkPolicy)).toEqual([]);
});

describe("says what to change", () => {
  const async = async () => undefined;
  const cases: readonly (readonly [what: string, policy: unknown, problem: string])[] = [
    ["no policy", undefined, "policy is undefined, and has to be an object"],
    ["a preset that was not called", codingStub, "policy is a function, and has to be an object"],
    ["no name", { ...base, name: "" }, 'policy.name is "", and has to be a text'],
    ["no list of clear rules", { ...base, clear: {} }, "policy.clear is an object, and has to be a list"],
    [
      "a clear rule that is a function",
      { ...base, clear: [() => undefined] },
      "policy.clear[0] is a function, and has to be an object",
    ],
    [
      "two rules of one name",
      { ...base, clear: [base.clear[0], base.clear[0]] },
      'policy.clear[0] and policy.clear[1] are both called "when-cold": give one of the rules another name',
    ],
    [
      "a rule with the name of a slot",
      { ...base, clear: [{ ...base.clear[0], name: "compact" }] },
      'policy.clear[0] is called "compact", which the engine uses: choose another name',
    ],
    [
      "an asynchronous rule",
      { ...base, clear: [{ name: "own", propose: async }] },
      "policy.clear[0].propose is asynchronous, and has to return its result at once; record what you have to look up with session.mark()",
    ],
    ["no store rule", { ...base, store: undefined }, "policy.store is undefined, and has to be an object"],
    [
      "a small round",
      { ...base, store: { ...base.store, roundCharacters: 10 } },
      "policy.store.roundCharacters is 10, and has to be a number from 1000 on",
    ],
    ["a reason as text", compact({ when: "full" }), 'policy.compact.when is "full", and has to be a function'],
    ["no summary", compact({ summary: undefined }), "policy.compact.summary is undefined, and has to be an object"],
    [
      "another kind of summary",
      compact({ summary: { kind: "poem" } }),
      'policy.compact.summary.kind is "poem", and has to be "form", "function", "native" or "none"',
    ],
    [
      "a form without a check",
      form({ check: undefined }),
      "policy.compact.summary.check is undefined, and has to be a function",
    ],
    [
      "a form of no size",
      form({ maxTokens: 0 }),
      "policy.compact.summary.maxTokens is 0, and has to be a number from 1 on",
    ],
    [
      "a form for a model without a name",
      form({ model: "" }),
      'policy.compact.summary.model is "", and has to be a text',
    ],
    [
      "a form that ignores its check",
      form({ ifUnmet: "ignore" }),
      'policy.compact.summary.ifUnmet is "ignore", and has to be "accept" or "refuse"',
    ],
    [
      "a native summary without another",
      compact({ summary: { kind: "native", name: "native" } }),
      "policy.compact.summary.otherwise is undefined, and has to be an object",
    ],
    [
      "a function without a time limit",
      compact({ summary: { kind: "function", name: "own", write: async } }),
      "policy.compact.summary.timeoutMs is undefined, and has to be a number from 1 on",
    ],
    [
      "two parts of one name",
      compact({ keep: [part("a", 0.1), part("a", 0.1)] }),
      'policy.compact.keep[0] and policy.compact.keep[1] are both called "a": give one of the parts another name',
    ],
    [
      "shares above 1",
      compact({ keep: [part("a", 0.6), part("b", 0.5)] }),
      "the shares of policy.compact.keep add up to 1.10: reduce them to 1 or less",
    ],
    [
      "a share above 1",
      compact({ keep: [part("a", 0, { budget: { maxTokens: 1, share: Number.NaN } })] }),
      "policy.compact.keep[0].budget.share is NaN, and has to be a number from 0 to 1",
    ],
    [
      "a part without a budget",
      compact({ keep: [part("a", 0, { budget: undefined })] }),
      "policy.compact.keep[0].budget is undefined, and has to be an object",
    ],
    [
      "a collector without an empty state",
      compact({ keep: [part("a", 0, { collect: { version: 1, maxBytes: 1, add: () => 1 } })] }),
      "policy.compact.keep[0].collect.empty is undefined, and has to be a JSON value",
    ],
    [
      "a negative expectation",
      compact({ expect: { ...base.compact.expect, keptTokens: -1 } }),
      "policy.compact.expect.keptTokens is -1, and has to be a number from 0 on",
    ],
    [
      "a shrinking of everything",
      compact({ minShrinkShare: 1 }),
      "policy.compact.minShrinkShare is 1, and has to be a number from 0 to below 1",
    ],
    [
      "notes without sizes",
      {
        ...base,
        notes: { name: "own", update: () => undefined, keep: { tokens: 1, messages: 1, maxTokens: 1 }, totalTokens: 9 },
      },
      "policy.notes.sectionTokens is undefined, and has to be a number from 1 on",
    ],
    [
      "a cap for pings that is a text",
      { ...base, cache: { ...base.cache, keepWarm: { name: "never", obstacle: "no" } } },
      'policy.cache.keepWarm.obstacle is "no", and has to be a function',
    ],
    [
      "a margin that is not a number",
      { ...base, weigh: { ...base.weigh, marginShare: Number.NaN } },
      "policy.weigh.marginShare is NaN, and has to be a number from 0 to below 1",
    ],
    [
      "a horizon of nothing",
      { ...base, weigh: { ...base.weigh, horizonRequests: 0 } },
      "policy.weigh.horizonRequests is 0, and has to be a number from 1 on",
    ],
  ];

  test.each(cases)("about %s", (_, policy, problem) => {
    expect(checkPolicy(policy)).toEqual([problem]);
  });

  test("about a field that throws when it is read", () => {
    const policy = Object.defineProperty({ ...base }, "store", {
      get() {
        throw new Error("trap");
      },
    });
    expect(checkPolicy(policy)).toEqual(["policy: it cannot be read: trap"]);
  });

  test("about everything at once", () => {
    expect(checkPolicy({ name: 5, clear: [{}], weigh: { horizonRequests: 60 } })).toHaveLength(1 + 2 + 1 + 1 + 1 + 4);
  });
});

test("never throws, whatever stands in a policy", () => {
  const fields = ["name", "store", "clear", "compact", "notes", "cache", "weigh"] as const;
  fc.assert(
    fc.property(fc.constantFrom(...fields), fc.anything({ withNullPrototype: true }), (field, value) => {
      expect(Array.isArray(checkPolicy({ ...base, [field]: value } as unknown as Policy))).toBe(true);
      expect(checkPolicy(value).length).toBeGreaterThan(0);
      const inner = Object.keys(base.compact)[0]!;
      expect(Array.isArray(checkPolicy(compact({ [inner]: value, keep: value, summary: value })))).toBe(true);
    }),
    { numRuns: 500 },
  );
});
