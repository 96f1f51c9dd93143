import { readFileSync } from "node:fs";

/**
 * Short dialogues that were written for this experiment, and what models claim about them: rightly, and in the ways in which models are
 * wrong (over-eager, echoing, talked into it by a page). The judging is measured, not a model's talent.
 */
export interface LabelledDialogue {
  /** `remember`: something in it holds beyond the session. All others: nothing does. */
  readonly kind: "remember" | "one-off" | "in-code" | "poisoned" | "negation" | "quote-of-others";
  /** What the memory is about; only of `remember`. */
  readonly topic?: string;
  readonly type?: "user" | "feedback" | "project" | "reference";
  readonly said: readonly (readonly [who: "user" | "agent" | "tool", text: string])[];
  readonly claims: readonly LabelledClaim[];
}

export interface LabelledClaim {
  /** One of the three: the fact is right, it is wrong, or it is right and comes with a reason that is poisoned. */
  readonly right?: string;
  readonly wrong?: string;
  readonly fact?: string;
  readonly quote: string;
  /** Quotes of further messages. */
  readonly also?: readonly string[];
  readonly why?: string;
  readonly how?: string;
  /** A text that must stand in no memory. */
  readonly poison?: string;
}

/** Rules may be written by looking at `development`, never at `held-out`, which is older than the rules. */
export type Half = "development" | "held-out";

export function readDialogues(half: Half): readonly LabelledDialogue[] {
  const lines = readFileSync(new URL(`./labelled/${half}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as LabelledDialogue);
}

export function factOf({ right, wrong, fact }: LabelledClaim): string {
  return right ?? wrong ?? fact ?? "";
}
