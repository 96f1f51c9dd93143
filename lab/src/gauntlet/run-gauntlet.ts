import type { Contestant } from "./contestant.ts";
import { measureResilience, type TrialFigures } from "./measure-resilience.ts";
import { measureValidity, type Validity } from "./measure-validity.ts";
import { type CourseFigures, runCourse } from "./run-course.ts";
import seeds from "./seeds.json" with { type: "json" };

/** What one contestant did on the five axes. */
export interface ContestantFigures extends CourseFigures {
  readonly version: string;
  readonly kind: Contestant["kind"];
  readonly api: Contestant["api"];
  readonly V: Validity;
  readonly R: Readonly<Record<string, TrialFigures>>;
}

/** `quick` is for the gate; `short` has some kinds of faults and trials, and a third of the conversation of `full`. */
export type GauntletSize = "quick" | "short" | "full";

interface SizeOptions {
  /** The same for all: large enough for the prompts of whole agents, small enough to be filled ten times. */
  readonly windowTokens: number;
  readonly afterWindows: readonly number[];
  readonly hangLimitMs: number;
  /** @default all */
  readonly kinds?: readonly string[];
  readonly trials?: readonly string[];
}

const SIZES: Readonly<Record<GauntletSize, SizeOptions>> = {
  full: { windowTokens: 48_000, afterWindows: [1, 3, 10], hangLimitMs: 150_000 },
  short: {
    windowTokens: 48_000,
    afterWindows: [1, 3],
    hangLimitMs: 70_000,
    kinds: [
      "overloaded",
      "stream-closed",
      "blank-words",
      "unknown-tool",
      "garbled-input",
      "repeated-call-id",
      "refusal",
      "empty-file",
      "huge-file",
    ],
    trials: [
      "kill-and-resume",
      "summarizer-is-empty",
      "summarizer-echoes",
      "overflow-without-a-word",
      "window-smaller-than-told",
    ],
  },
  quick: {
    windowTokens: 24_000,
    afterWindows: [1],
    hangLimitMs: 5_000,
    kinds: ["stream-closed", "blank-words", "call-cut-at-limit"],
    trials: ["kill-and-resume", "summarizer-is-empty"],
  },
};

/** Says how true the figures can be. */
export const FIDELITY: Readonly<Record<string, string>> = {
  model: "a script: it reads, answers and summarizes as planned; the gauntlet measures machinery, not intelligence",
  summaries: "keep of each sort of fact as much as 43 real compactions did; the same rates for all contestants",
  service: "the strict simulator of this repository: validity, prompt cache and prices; tokens are counted by bytes",
  bill: "usage of each service at the prices of one model",
  latency: "includes the machine's other work; compare within one run only",
};

export function seedOf(size: GauntletSize): string {
  return seeds[size];
}

/** Runs one contestant on all axes. @param only those axes, as letters */
export async function runGauntlet(
  contestant: Contestant,
  size: GauntletSize,
  only = "VFR",
): Promise<Partial<ContestantFigures>> {
  const { windowTokens, afterWindows, hangLimitMs, kinds, trials } = SIZES[size];
  const options = { seed: seedOf(size), windowTokens };
  const { kind, api } = contestant;
  return {
    version: contestant.version(),
    kind,
    api,
    ...(only.includes("V") ? { V: await measureValidity(contestant, { ...options, only: kinds }) } : {}),
    ...(/[FCL]/.test(only) ? await runCourse(contestant, { ...options, afterWindows }) : {}),
    ...(only.includes("R") ? { R: await measureResilience(contestant, { ...options, hangLimitMs, trials }) } : {}),
  };
}
