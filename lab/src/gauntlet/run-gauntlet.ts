import type { Contestant } from "./contestant.ts";
import { materialVersions } from "./material.ts";
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
  material: `facts stand in files, and sentences in documentation, of ${materialVersions().join(" ")}`,
  latency: "includes the machine's other work; compare within one run only",
};

export interface RunOptions {
  readonly size: GauntletSize;
  /** The axes to run, as letters. @default all */
  readonly axes?: string;
  /** @default that of the size */
  readonly windowTokens?: number | undefined;
  /** @default that of the size */
  readonly seed?: string | undefined;
}

/** The seed and the window of a run. */
export function conditionsOf({ size, seed = seeds[size], windowTokens = SIZES[size].windowTokens }: RunOptions): {
  readonly seed: string;
  readonly windowTokens: number;
} {
  return { seed, windowTokens };
}

/** A seed of choosing by its number, from 1 on. */
export function choosingSeed(number: number): string | undefined {
  return seeds.choosing[number - 1];
}

/** Runs one contestant on some axes. */
export async function runGauntlet(contestant: Contestant, run: RunOptions): Promise<Partial<ContestantFigures>> {
  const { afterWindows, hangLimitMs, kinds, trials } = SIZES[run.size];
  const { axes: only = "VFR" } = run;
  const options = conditionsOf(run);
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
