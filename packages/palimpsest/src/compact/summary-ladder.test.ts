import { expect, test } from "vitest";
import {
  type CallResult,
  type LadderPlan,
  type ModelCalls,
  type ModelConversation,
  runSummaryLadder,
} from "./ladder.ts";
import { summarySections } from "./summary/sections.ts";
import type { TranscriptRound } from "./summary/transcript.ts";

const ROUNDS: readonly TranscriptRound[] = Array.from({ length: 30 }, (_, index) => ({
  from: index + 1,
  to: index + 1,
  text: `round ${index} ${"word ".repeat(200)}`,
})) as never;
const countTokens = (text: string): number => Math.ceil(text.length / 4);

const callsOf = (conversation: ModelConversation): ModelCalls => ({
  direct: async () => conversation,
  fork: async () => conversation,
  provider: async () => undefined,
});
const PLAN = {
  rounds: ROUNDS,
  variant: "full",
  byProvider: "off",
  noFork: "another model is wanted",
  limits: { countTokens, maximumTokens: 4_000, sourceTokens: 8_000, isKnownPath: () => true },
  said: "",
} as const;

test("a transcript that is too long by so much loses so much at once, not one round at a try", async () => {
  const heard: string[] = [];
  const refusing: ModelConversation = {
    async ask(words) {
      heard.push(words);
      const why = "prompt is too long: 8000 tokens > 3000 maximum";
      return { kind: "failed", failure: { kind: "overflow", inputTokens: 8_000, limitTokens: 3_000 } as never, why };
    },
    close: async () => {},
  };
  const plan: LadderPlan = { ...PLAN, modelCalls: callsOf(refusing), directTokens: 100_000, maximumPasses: 1 };
  expect(await runSummaryLadder(plan)).toMatchObject({
    declined: [{ rung: "fork" }, { rung: "direct" }, { rung: "passes" }],
  });
  const roundsIn = (words: string): number => words.split(/round \d+ word/).length - 1;
  expect(roundsIn(heard[0]!)).toBe(30);
  // Some 250 tokens each: 20 of them make up for 5,000.
  expect(roundsIn(heard[1]!)).toBeLessThanOrEqual(10);
});

/** The answer of a model that has read part `pass`. */
const summaryOf = (pass: number): string =>
  `<summary>\n${summarySections("full")
    .map(({ number, title }) => `## ${number}. ${title}\nWhat part ${pass} has to say about this, in some words.`)
    .join("\n")}\n</summary>`;

test.each([
  [2, 9_000],
  [3, 7_500],
])(
  "a transcript for %i calls is read in as many: each gets its part and the summary of those before",
  async (passes, directTokens) => {
    const heard: string[] = [];
    const writing: ModelConversation = {
      async ask(words) {
        heard.push(words);
        return { kind: "answer", answer: { text: summaryOf(heard.length), stop: "end", calls: 0 } };
      },
      close: async () => {},
    };
    const rounds = [...ROUNDS, ...ROUNDS.slice(0, 8)];
    const plan: LadderPlan = {
      ...PLAN,
      rounds,
      modelCalls: callsOf(writing),
      directTokens,
      maximumPasses: 4,
    };
    const { summary, declined } = await runSummaryLadder(plan);
    expect(declined.map(({ rung }) => rung)).toEqual(["fork", "direct"]);
    expect(summary).toMatchObject({ rung: "passes", text: expect.stringContaining(`What part ${passes} has to say`) });
    expect(heard).toHaveLength(passes);
    expect(heard.flatMap((words) => words.match(/round \d+ (?=word)/g) ?? [])).toHaveLength(rounds.length);
    for (const [index, words] of heard.entries()) {
      expect(words.includes("<partial-summary>")).toBe(index > 0);
      if (index > 0) expect(words).toContain(`What part ${index} has to say`);
    }
  },
);

test.each<[string, CallResult, string | undefined]>([
  ["a summary", { kind: "answer", answer: { text: summaryOf(1), stop: "end", calls: 0 } }, "fork"],
  ["none", { kind: "answer", answer: { text: "I cannot do that.", stop: "end", calls: 0 } }, undefined],
  ["a failure", { kind: "failed", failure: { kind: "overloaded" } as never, why: "overloaded" }, undefined],
  ["too long", { kind: "failed", failure: { kind: "overflow" } as never, why: "too long" }, undefined],
])("every conversation that is begun is closed, whatever comes of it: %s", async (_, called, rung) => {
  let open = 0;
  let begun = 0;
  const begin = async (): Promise<ModelConversation> => {
    open++;
    begun++;
    return {
      ask: async () => called,
      close: async () => {
        open--;
      },
    };
  };
  const modelCalls: ModelCalls = { direct: begin, fork: begin, provider: async () => undefined };
  const { noFork: _noFork, ...plan } = PLAN;
  const { summary } = await runSummaryLadder({ ...plan, modelCalls, directTokens: 100_000, maximumPasses: 1 });
  expect(summary?.rung).toBe(rung);
  expect(begun).toBeGreaterThan(0);
  expect(open).toBe(0);
});
