import type { CompactionReasons, ReadEntry } from "palimpsest/inspect";

type Decision = Extract<ReadEntry, { readonly kind: "decision" }>["payload"];
type Boundary = Extract<ReadEntry, { readonly kind: "boundary" }>["payload"];
type DecidedBy = NonNullable<NonNullable<Boundary["compaction"]>["decided"]>;

const ACTIONS: Readonly<Record<Decision["action"], string>> = {
  clear: "Old results are cleared",
  "ask-provider": "The provider is asked to clear old results",
  "delete-cached": "Old results are deleted from the cached prompt",
};

/** Describes a decision about the window: the rule, its reason and figures, and the other proposals. */
export function decisionText(decision: Decision): string {
  const { action, rule, level, because, tokensBefore, tokensAfter } = decision;
  return [
    `${ACTIONS[action]}, by the rule ${rule} (${level}).`,
    `Why: ${because}`,
    `Tokens: ${count(tokensBefore)} before, ${count(tokensAfter)} after.`,
    ...figuresText(decision),
  ].join("\n");
}

/** Describes why a conversation was compacted, and why not earlier. */
export function reasonsText({ because, notEarlier }: CompactionReasons, decided: DecidedBy | undefined): string {
  return [
    `Why: ${because}`,
    ...(notEarlier === undefined ? [] : [`Why not earlier: ${notEarlier}`]),
    ...(decided === undefined ? [] : figuresText(decided)),
  ].join("\n");
}

function figuresText({ figures, considered }: DecidedBy): readonly string[] {
  const { costNow, costLater, savesNow, savesLater, net } = figures;
  const amount = (value: number): string => amountText(value, figures.unit);
  return [
    `Costs ${amount(costNow)} now and ${amount(costLater)} later; saves ${amount(savesNow)} now and ${amount(savesLater)} later; together ${amount(net)}.`,
    ...(considered.length === 0 ? [] : ["", "Other proposals:"]),
    ...considered.map(
      (other) =>
        `- ${other.rule} (${other.level}): ${count(other.tokensAfter)} tokens after, saves ${amount(other.net)}; ${other.barred ?? "the other one is better"}`,
    ),
  ];
}

function amountText(value: number, unit: DecidedBy["figures"]["unit"]): string {
  if (unit === "input-tokens") return `${count(Math.round(value))} input tokens`;
  return `${value < 0 ? "-" : ""}$${Math.abs(value).toFixed(4)}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
