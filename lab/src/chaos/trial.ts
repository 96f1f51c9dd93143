import type { Experiment, Figures } from "../experiment.ts";

export interface TrialOptions {
  readonly size: "full" | "quick";
  /** Reports progress to the person who started the trial. */
  readonly say: (text: string) => void;
}

/** Damage done on purpose, and its consequences. */
export interface Trial {
  readonly name: string;
  readonly about: string;
  run(options: TrialOptions): Promise<TrialResult>;
}

export interface TrialResult {
  readonly found: Figures;
  readonly outcome: "held" | "BROKEN";
  /** The parts that this machine cannot run, each with its reason. They fail the trial. */
  readonly skipped?: readonly string[];
}

/** Held only if nothing was counted. */
export function heldIfZero(...counts: readonly number[]): "held" | "BROKEN" {
  return counts.every((count) => count === 0) ? "held" : "BROKEN";
}

/** A trial as an experiment. The figures include the outcome, and progress goes to stderr. */
export function asExperiment({ name, about, run }: Trial): Experiment {
  return {
    name,
    about,
    async run({ size }) {
      const { found, outcome, skipped = [] } = await run({ size, say: console.error });
      return { ...found, skipped, outcome: skipped.length > 0 ? "BROKEN" : outcome };
    },
  };
}
