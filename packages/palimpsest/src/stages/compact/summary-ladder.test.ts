import { expect, test } from "vitest";
import type { TranscriptRound } from "./summary/transcript.ts";
import { type LadderPlan, type ModelConversation, runSummaryLadder } from "./summary-ladder.ts";

const ROUNDS: readonly TranscriptRound[] = Array.from({ length: 30 }, (_, index) => ({
  from: index + 1,
  to: index + 1,
  text: `round ${index} ${"word ".repeat(200)}`,
})) as never;
const countTokens = (text: string): number => Math.ceil(text.length / 4);

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
  const plan = {
    modelCalls: { direct: async () => refusing, fork: async () => refusing, provider: async () => undefined },
    rounds: ROUNDS,
    variant: "full",
    byProvider: "off",
    noFork: "another model is wanted",
    directTokens: 100_000,
    maximumPasses: 1,
    limits: { countTokens, maximumTokens: 4_000 },
    said: "",
  } as unknown as LadderPlan;
  expect(await runSummaryLadder(plan)).toMatchObject({
    declined: [{ rung: "fork" }, { rung: "direct" }, { rung: "passes" }],
  });
  const roundsIn = (words: string): number => words.split(/round \d+ word/).length - 1;
  expect(roundsIn(heard[0]!)).toBe(30);
  // Some 250 tokens each: 20 of them make up for 5,000.
  expect(roundsIn(heard[1]!)).toBeLessThanOrEqual(10);
});
