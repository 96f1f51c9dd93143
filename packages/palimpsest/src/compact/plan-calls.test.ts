import { expect, test } from "vitest";
import { stateOf } from "../policy/testing.ts";
import { budgetOf } from "../size/budget.ts";
import { toItem } from "../view/view.ts";
import type { CompactionPlan, Room } from "./plan.ts";
import { directOutputTokens, planCalls } from "./summarize.ts";
import { codingSummary } from "./summary/forms.ts";
import { CALL_LIMITS } from "./summary/model-calls.ts";

const WINDOW_TOKENS = 200_000;
const ROOM = { summary: 1_005 } as Room;
const LONG = "w".repeat(400);
const FOLDED = [
  toItem({ from: 1, to: 1, role: "user", origin: "human", blocks: [{ kind: "text", text: LONG }] }),
  toItem({ from: 2, to: 2, role: "user", origin: "summary", blocks: [{ kind: "text", text: "Of before." }] }),
  toItem({
    from: 3,
    to: 3,
    role: "assistant",
    origin: "model",
    blocks: [
      { kind: "text", text: "I look." },
      { kind: "tool_call", id: "a", name: "look", input: {} },
      { kind: "text", text: "There." },
    ],
  }),
];

interface Asked {
  readonly variant?: CompactionPlan["variant"];
  readonly sizeTokens?: number;
  readonly trigger?: "auto" | "reactive";
  readonly instructions?: string;
  readonly directWindowTokens?: number;
}

/** Of a plan, only what the calls are made of. */
function planned({ variant = "full", sizeTokens = 50_000, trigger = "auto", instructions = "", ...more }: Asked = {}) {
  const plan = {
    variant,
    material: {
      parts: { state: stateOf({ tokens: sizeTokens }) },
      rounds: [{ text: "read src/a.ts" }, { text: "and ./src/b.ts" }],
    },
    range: { folded: FOLDED },
    snapshot: {
      sizeTokens,
      budget: budgetOf({ windowTokens: WINDOW_TOKENS }),
      configuration: { model: "m" },
      tokensOf: ({ from }: { readonly from: number }) => from * 10,
      countTokens: (text: string) => text.length,
    },
  } as unknown as CompactionPlan;
  return planCalls(plan, ROOM, {
    summary: codingSummary(),
    limits: CALL_LIMITS,
    trigger,
    instructions,
    directWindowTokens: more.directWindowTokens ?? 10_001,
  });
}

test.each<[string, Asked, "fork" | "no fork"]>([
  ["as usual", {}, "fork"],
  ["of all behind a message", { variant: "from" }, "fork"],
  ["of all before a message", { variant: "up_to" }, "no fork"],
  ["after a refusal", { trigger: "reactive" }, "no fork"],
  ["whose question just fits nine tenths of the window", { sizeTokens: 179_200 }, "fork"],
  ["whose question is a token too long", { sizeTokens: 179_201 }, "no fork"],
])("a summary %s: %3$s", (_, asked, expected) => {
  expect(planned(asked).noFork === undefined ? "fork" : "no fork").toBe(expected);
});

test("the models are told the limit in words, what the user wants, and where the part begins", () => {
  expect(planned().instructions!.split("\n")).toEqual([expect.stringContaining(" 603 words")]);
  expect(planned({ instructions: "Keep the names." }).instructions!.split("\n")).toEqual([
    expect.stringContaining(" 603 words"),
    "Keep the names.",
  ]);
  expect(planned({ instructions: "Keep the names." }).ask.instructions).toBe("Keep the names.");
  const [, begins, words] = planned({ variant: "from" }).instructions!.split("\n");
  expect(begins).toBe("w".repeat(300));
  expect(words).toContain(" 603 words");
  expect(planned({ variant: "up_to" }).instructions).not.toContain("www");
});

test("limits are of what is folded, and of what was said in it without earlier summaries", () => {
  const { ask, maximumTokens, said, directTokens } = planned();
  expect(ask.sourceTokens).toBe(60);
  expect(maximumTokens).toBe(1_005);
  expect(said).toBe(`${LONG}\nI look.\nThere.`);
  // A fifth of the window is the answer's, and 800 tokens are the prompt's.
  expect(directTokens).toBe(7_200);
  const paths = ["src/a.ts", "./src/a.ts", "src/b.ts", "./src/b.ts", "src/c.ts", "src/./a.ts"];
  expect(paths.map(ask.isKnown)).toEqual([true, true, true, true, false, false]);
});

test("a direct answer has a fifth of the window at most, and never more than the form allows", () => {
  expect([10_004, 14_999, 15_000, 200_000].map((window) => directOutputTokens(3_000, window))).toEqual([
    2_000, 2_999, 3_000, 3_000,
  ]);
});
