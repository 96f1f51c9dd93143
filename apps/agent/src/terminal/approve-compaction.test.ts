import type { CompactionForecast } from "palimpsest";
import { expect, test } from "vitest";
import type { Dialog, DialogAnswer } from "../extension/slash-command.ts";
import { approveCompaction, compactionDialog } from "./ask-person.ts";

const DUE: CompactionForecast = {
  reason: "economic",
  because: "above 100,000 tokens compaction saves money",
  tokens: 120_000,
  windowTokens: 200_000,
  expectedTokens: 35_000,
  savesTokensPerRequest: 85_000,
  savesUsdPerRequest: 0.0425,
};

function answering(answer: DialogAnswer) {
  const asked: string[] = [];
  const approve = approveCompaction({
    async ask({ title }: Dialog) {
      asked.push(title);
      return answer;
    },
    async chooseProfile() {
      asked.push("profile");
    },
  });
  return { approve, asked };
}

test("the dialog says what it saves, what it costs and how to undo it", () => {
  const { body } = compactionDialog(DUE);
  const text = body.map((line) => line.map(({ text: words }) => words).join("")).join("\n");
  expect(text).toContain("The conversation has 120,000 tokens");
  expect(text).toContain("Why: above 100,000 tokens compaction saves money");
  expect(text).toContain("Saves: about 35,000 tokens remain, so every request is 85,000 tokens shorter ($0.0425");
  expect(text).toContain("Costs: one model call");
  expect(text).toContain("Undo: /undo");
});

test.each([
  ["compact", "compact", []],
  ["not-now", "not-now", []],
  ["profile", "not-now", ["profile"]],
] as const)("%s is answered by %s", async (value, outcome, further) => {
  const { approve, asked } = answering({ kind: "chosen", values: [value] });
  expect(await approve(DUE, {})).toBe(outcome);
  expect(asked).toEqual(["Compact the conversation now?", ...further]);
});

test("Escape is no yes", async () => {
  const { approve } = answering({ kind: "left" });
  expect(await approve(DUE, {})).toBe("not-now");
});
