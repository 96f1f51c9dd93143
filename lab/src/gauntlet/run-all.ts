import type { Contestant } from "./contestant.ts";
import { type ContestantFigures, type RunOptions, runGauntlet } from "./run-gauntlet.ts";

export interface RunAllOptions extends RunOptions {
  readonly axes: string;
  /** So many contestants at a time, on the axes that only count. */
  readonly atOnce: number;
  readonly run?: typeof runGauntlet;
  /** Is told the new figures of a contestant: those of V and R first, then those of the course. */
  readonly onFigures?: (contestant: Contestant, figures: Partial<ContestantFigures>) => void;
}

/** Those that count, and wait for most of the time: for a service that fails, a summarizer that hangs, a program that starts. */
const COUNTED = ["V", "R"];

/** Runs contestants on all axes: on those that count several at a time, then on the course one after the other, because it measures time. */
export async function runAll(
  contestants: readonly Contestant[],
  { axes, atOnce, run = runGauntlet, onFigures = () => {}, ...options }: RunAllOptions,
): Promise<Readonly<Record<string, Partial<ContestantFigures>>>> {
  const figures: Record<string, Partial<ContestantFigures>> = Object.fromEntries(
    contestants.map(({ name }) => [name, {}]),
  );
  const letters = [...axes];
  await runOn(letters.filter((letter) => COUNTED.includes(letter)).join(""), atOnce);
  await runOn(letters.filter((letter) => !COUNTED.includes(letter)).join(""), 1);
  return figures;

  async function runOn(some: string, workers: number): Promise<void> {
    if (some === "") return;
    // Whoever is free takes the next one.
    const waiting = contestants.values();
    const work = async (): Promise<void> => {
      for (const next of waiting) {
        const found = await run(next, { ...options, axes: some });
        figures[next.name] = { ...figures[next.name], ...found };
        onFigures(next, found);
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
  }
}
