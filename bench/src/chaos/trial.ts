/** The findings of a trial, by name. */
export type Findings = Readonly<Record<string, unknown>>;

export interface TrialOptions {
  /** "quick" belongs to the gate; figures to quote come from the full one. */
  readonly size: "full" | "quick";
  readonly say: (text: string) => void;
}

/** One kind of harm, done on purpose, and what came of it. */
export interface Trial {
  readonly name: string;
  readonly about: string;
  run(options: TrialOptions): Promise<TrialResult>;
}

export interface TrialResult {
  readonly found: Findings;
  readonly outcome: "held" | "BROKEN";
  /** The parts that this machine cannot try, each with its reason. `--require-all` fails on them. */
  readonly skipped?: readonly string[];
}

/** Held only if nothing was counted. */
export function heldIfZero(...counts: readonly number[]): "held" | "BROKEN" {
  return counts.every((count) => count === 0) ? "held" : "BROKEN";
}
