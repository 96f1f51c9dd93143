import type { NearTests } from "../changed-copy/near-tests.ts";
import type { RepositoryCopy } from "../changed-copy/open-copy.ts";
import { judgeRun } from "../changed-copy/tests-run.ts";
import { applyMutant } from "./find-mutants.ts";
import type { Mutant } from "./mutant.ts";
import type { MutantFate } from "./mutation-score.ts";

export interface PlacedMutant extends Mutant {
  /** From the repository's root. */
  readonly file: string;
  readonly source: string;
}

/** How long a test file takes without any mistake; undefined: it does not pass then, and judges nothing. */
export type TestTimes = Map<string, number | undefined>;

export interface TryMutantOptions {
  readonly copy: Pick<RepositoryCopy, "run" | "checkTypes">;
  readonly nearTests: NearTests;
  /** Filled here: each test file is measured once. */
  readonly times: TestTimes;
  /** So many of the nearest tests are run: a number, so that the machine's other work decides nothing. */
  readonly mostTests: number;
}

/** What hangs is noticed, too: by whoever waits for the tests. */
const LEAST_LIMIT_MS = 60_000;
const LIMIT_TIMES = 10;
const MEASURE_MS = 1_800_000;

/** Sees whether the tests nearest to a file notice a mistake in it, and if not, whether the compiler does. */
export async function tryMutant(mutant: PlacedMutant, options: TryMutantOptions): Promise<MutantFate> {
  const { copy, nearTests } = options;
  const { tests, takesMs } = await chooseTests(nearTests(mutant.file), options);
  const change = { file: mutant.file, text: applyMutant(mutant.source, mutant) };
  const unnoticed = async (): Promise<MutantFate> =>
    (await copy.checkTypes(change)) === "wrong" ? "wrong-type" : "survived";
  if (tests.length === 0) return unnoticed();
  const run = await copy.run({ changes: [change], tests }, Math.max(LEAST_LIMIT_MS, LIMIT_TIMES * takesMs));
  if (run === "too-slow") return "killed";
  const { kind } = judgeRun(run);
  return kind === "failed" ? "killed" : kind === "passed" ? unnoticed() : "invalid";
}

/** The nearest ones that pass by themselves. */
async function chooseTests(near: readonly string[], { copy, times, mostTests }: TryMutantOptions) {
  const tests: string[] = [];
  let takesMs = 0;
  for (const test of near.slice(0, mostTests)) {
    if (!times.has(test)) times.set(test, await measure(copy, test));
    const timeMs = times.get(test);
    if (timeMs === undefined) continue;
    tests.push(test);
    takesMs += timeMs;
  }
  return { tests, takesMs };
}

async function measure(copy: TryMutantOptions["copy"], test: string): Promise<number | undefined> {
  const run = await copy.run({ changes: [], tests: [test] }, MEASURE_MS);
  if (run === "too-slow" || judgeRun(run).kind !== "passed") return undefined;
  return run.files.reduce((sum, { durationMs }) => sum + durationMs, 0);
}
