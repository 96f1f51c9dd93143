import { describe, expect, test } from "vitest";
import { HOST, USER } from "../../log/provenance.ts";
import type { Json, KeepPart } from "../../policy/policy.ts";
import { userMessages } from "./floor.ts";
import { createCollectors } from "./knowledge.ts";
import { logMessage, partOf, showParts } from "./testing.ts";

const LOG = [logMessage(1, "The task."), logMessage(2, "In between."), logMessage(3, "The newest.")];
const throwing = (): never => {
  throw new Error("boom");
};

const HOSTILE: readonly (readonly [what: string, part: Partial<KeepPart>, where: string, why: string])[] = [
  ["throws in plan", { plan: throwing }, "plan", "boom"],
  [
    "throws something that is no error",
    {
      plan: () => {
        throw Object.create(null);
      },
    },
    "plan",
    "no text",
  ],
  ["returns a promise from plan", { plan: async () => throwing() } as never, "plan", "promise"],
  ["returns nothing from plan", { plan: () => undefined as never }, "plan", "list"],
  [
    "plans items of another form",
    { plan: () => [{ key: "1", from: { kind: "url" } }] as never },
    "plan",
    "PlannedItem",
  ],
  [
    "plans too many items",
    { plan: () => Array(3_000).fill({ key: "1", from: { kind: "host", name: "plan" } }) },
    "plan",
    "3000",
  ],
  [
    "changes what it plans from",
    {
      plan: ({ compacted }) => {
        (compacted as object[]).length = 0;
        return [];
      },
    },
    "plan",
    "length",
  ],
  ["has no numbers", { budget: { maxTokens: Number.NaN, share: 1 } }, "plan", "budget.maxTokens is NaN"],
  ["throws in render", { render: throwing }, "render", "boom"],
  ["returns a promise from render", { render: async () => throwing() } as never, "render", "promise"],
  ["renders nothing", { render: () => null as never }, "render", "list"],
  ["renders texts of another form", { render: () => [{ text: "x" }] as never }, "render", "PartText"],
  [
    "renders too much",
    { render: () => [{ heading: "", text: "y".repeat(100_000), provenance: USER }] },
    "render",
    "25000",
  ],
];

describe("a part that", () => {
  test.each(HOSTILE)("%s is left out and named, and the others keep their room", async (_, part, where, why) => {
    const keep = [partOf("hostile", part), userMessages({ maxTokens: 1_000 }), partOf("good", {})];
    const given = { messages: Object.freeze([...LOG]) as typeof LOG };
    const { all, failures, records } = await showParts(keep, given);
    expect(failures).toMatchObject([{ rule: "hostile", where, why: expect.stringContaining(why) }]);
    const record = records.find(({ name }) => name === "hostile")!;
    expect(record).toMatchObject({ tokens: 0, why: expect.stringContaining(`${where} failed`) });
    for (const text of ["The task.", "In between.", "The newest.", "Text of good."]) expect(all).toContain(text);
    expect(all).not.toContain("Text of hostile.");
  });

  test("pretends to be a part of the floor cannot remove the floor", async () => {
    const { all } = await showParts([partOf("task", { plan: () => [], budget: { maxTokens: 1, share: 0 } })], {
      messages: LOG,
    });
    expect(all).toContain("The task.");
  });
});

describe("a collector that", () => {
  const counting = (add: (state: Json, entry: number) => Json, maxBytes = 100): KeepPart =>
    partOf("counter", { collect: { version: 1, empty: [], maxBytes, add: (state, { entry }) => add(state, entry) } });
  const listOf = (state: Json): readonly Json[] => state as readonly Json[];
  const fold = (part: KeepPart) => {
    const collectors = createCollectors([part, partOf("none", {})], {});
    for (const message of LOG) collectors.take(message, "all");
    return { state: collectors.state()["counter"]!.state, failures: collectors.failures };
  };

  test("works gets each message once", () => {
    expect(fold(counting((state, entry) => [...listOf(state), entry]))).toEqual({ state: [1, 2, 3], failures: [] });
  });

  test.each<[string, (state: Json, entry: number) => Json, string]>([
    ["throws", () => throwing(), "boom"],
    ["returns a promise", (async () => throwing()) as never, "promise"],
    ["returns nothing", () => undefined as never, "undefined"],
    ["collects more than maxBytes", () => "z".repeat(101), "maxBytes is 100"],
    ["collects 100 MB", () => "z".repeat(100_000_000), "100000002 bytes"],
    [
      "returns a cycle",
      () => {
        const cycle: Json[] = [];
        cycle.push(cycle);
        return cycle;
      },
      "circular",
    ],
  ])("%s keeps its earlier state and is named", (_, bad, why) => {
    const part = counting((state, entry) => (entry === 2 ? bad(state, entry) : [...listOf(state), entry]));
    const { state, failures } = fold(part);
    expect(state).toEqual([1, 3]);
    expect(failures).toMatchObject([{ rule: "counter", where: "collect", why: expect.stringMatching(/^entry 2: /) }]);
    expect(failures[0]!.why).toContain(why);
  });

  test("changes its state in place before it fails keeps the state that was accepted", () => {
    const part = counting((state, entry) => {
      (state as Json[]).push(entry);
      if (entry === 2) throwing();
      return state;
    });
    expect(fold(part).state).toEqual([3]);
  });
});

test("a part of the host's texts that fails to load is left out without a failure", async () => {
  const surroundings = { plan: async () => throwing() };
  const part = partOf("own", { plan: () => [{ key: "plan", from: { kind: "host", name: "plan", provenance: HOST } }] });
  const { failures, records } = await showParts([part], { surroundings });
  expect([failures, records.filter(({ name }) => name === "own")]).toEqual([[], []]);
});
