import type { ReadEntry } from "palimpsest/inspect";

type Decision = Extract<ReadEntry, { readonly kind: "decision" }>["payload"];

const ACTIONS: Readonly<Record<Decision["action"], string>> = {
  clear: "Old results are cleared",
  "ask-provider": "The provider is asked to clear old results",
  "delete-cached": "Old results are deleted from the cached prompt",
};

/** Describes a decision about the window: the rule, its reason and figures, and the other proposals. */
export function decisionText(decision: Decision): string {
  const { action, rule, level, because, figures, considered, tokensBefore, tokensAfter } = decision;
  const { costNow, costLater, savesNow, savesLater, net } = figures;
  const amount = (value: number): string => amountText(value, figures.unit);
  return [
    `${ACTIONS[action]}, by the rule ${rule} (${level}).`,
    `Why: ${because}`,
    `Tokens: ${count(tokensBefore)} before, ${count(tokensAfter)} after.`,
    `Costs ${amount(costNow)} now and ${amount(costLater)} later; saves ${amount(savesNow)} now and ${amount(savesLater)} later; together ${amount(net)}.`,
    ...(considered.length === 0 ? [] : ["", "Other proposals:"]),
    ...considered.map(
      (other) =>
        `- ${other.rule} (${other.level}): ${count(other.tokensAfter)} tokens after, saves ${amount(other.net)}; ${other.barred ?? "the other one is better"}`,
    ),
  ].join("\n");
}

function amountText(value: number, unit: Decision["figures"]["unit"]): string {
  if (unit === "input-tokens") return `${count(Math.round(value))} input tokens`;
  return `${value < 0 ? "-" : ""}$${Math.abs(value).toFixed(4)}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
