import { expect, test } from "vitest";
import { reasonsText } from "./decision-text.ts";

const figures = { unit: "usd", costNow: 0.1, costLater: 0, savesNow: 0, savesLater: 0.6, net: 0.5 } as const;
const considered = [{ rule: "to-fit", level: "when-full", net: 0.2, tokensAfter: 60_000, barred: "only if full" }];
const decided = { rule: "economic", level: "if-it-pays", because: "economic pays", figures, considered };

test("reasonsText says why a conversation was compacted, why not earlier, and what the alternatives were", () => {
  expect(reasonsText({ because: "economic pays", notEarlier: "at 9 tokens, nothing was done" }, decided)).toBe(
    [
      "Why: economic pays",
      "Why not earlier: at 9 tokens, nothing was done",
      "Costs $0.1000 now and $0.0000 later; saves $0.0000 now and $0.6000 later; together $0.5000.",
      "",
      "Other proposals:",
      "- to-fit (when-full): 60,000 tokens after, saves $0.2000; only if full",
    ].join("\n"),
  );
});

test("reasonsText has only the reason if nobody decided by price", () => {
  expect(reasonsText({ because: "the user or the program asked for it", notEarlier: undefined }, undefined)).toBe(
    "Why: the user or the program asked for it",
  );
});
