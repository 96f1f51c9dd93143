import { expect, test } from "vitest";
import { resolveSettings } from "../settings/resolve.ts";
import type { Settings } from "../settings/settings.ts";
import { budgetOf } from "../size/budget.ts";
import { toItem } from "../view/view.ts";
import type { CompactionPlan, Room } from "./plan.ts";
import { directOutputTokens, planCalls } from "./summarize.ts";

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
  readonly settings?: Partial<Settings>;
}

/** Of a plan, only what the calls are made of. */
function planned({ variant = "full", sizeTokens = 50_000, trigger = "auto", instructions, ...more }: Asked = {}) {
  const plan = {
    variant,
    material: { rounds: [{ text: "read src/a.ts" }, { text: "and ./src/b.ts" }] },
    range: { folded: FOLDED },
    snapshot: {
      sizeTokens,
      budget: budgetOf({ windowTokens: WINDOW_TOKENS }),
      configuration: { model: "m" },
      tokensOf: ({ from }: { readonly from: number }) => from * 10,
      countTokens: (text: string) => text.length,
    },
  } as unknown as CompactionPlan;
  const settings = { ...resolveSettings({}).settings, ...more.settings };
  return planCalls(plan, ROOM, {
    trigger,
    settings,
    instructions,
    directWindowTokens: more.directWindowTokens ?? 10_001,
  });
}

test.each<[string, Asked, "fork" | "no fork"]>([
  ["as usual", {}, "fork"],
  ["for the same model, by its name", { settings: { "compaction.model": "m" } }, "fork"],
  ["for another model", { settings: { "compaction.model": "n" } }, "no fork"],
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
  expect(planned({ instructions: "Keep the names." }).userInstructions).toBe("Keep the names.");
  const [, begins, words] = planned({ variant: "from" }).instructions!.split("\n");
  expect(begins).toBe("w".repeat(300));
  expect(words).toContain(" 603 words");
  expect(planned({ variant: "up_to" }).instructions).not.toContain("www");
});

test("limits are of what is folded, and of what was said in it without earlier summaries", () => {
  const { limits, said, directTokens } = planned();
  expect(limits.sourceTokens).toBe(60);
  expect(limits.maximumTokens).toBe(1_005);
  expect(said).toBe(`${LONG}\nI look.\nThere.`);
  // A fifth of the window is the answer's, and 800 tokens are the prompt's.
  expect(directTokens).toBe(7_200);
  const paths = ["src/a.ts", "./src/a.ts", "src/b.ts", "./src/b.ts", "src/c.ts", "src/./a.ts"];
  expect(paths.map(limits.isKnownPath)).toEqual([true, true, true, true, false, false]);
});

test("a direct answer has a fifth of the window at most, and never more than the settings allow", () => {
  const settings = { ...resolveSettings({}).settings, "compaction.summaryTokens": 3_000 };
  expect([10_004, 14_999, 15_000, 200_000].map((window) => directOutputTokens(settings, window))).toEqual([
    2_000, 2_999, 3_000, 3_000,
  ]);
});
