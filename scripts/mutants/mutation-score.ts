import type { MutantKind } from "./mutant.ts";

/** `killed`: by a test. `wrong-type`: by the compiler alone. `invalid`: no test file could be loaded with it, so that nothing was judged. */
export type MutantFate = "killed" | "wrong-type" | "survived" | "invalid";

export interface MutationScore {
  readonly mutants: number;
  readonly killed: number;
  readonly wrong_type: number;
  readonly survived: number;
  /** Those that tests or the compiler notice, of those that could be judged: the gate runs both. */
  readonly score_pct: number;
  /** Those that tests notice, of those that the compiler does not notice alone. */
  readonly tests_only_pct: number;
  /** The 95% interval of the score of all mutants of the folder, by Wilson. */
  readonly low: number;
  readonly high: number;
}

const Z = 1.959964;

/** The share of mistakes that were noticed, and how far a sample of this size can be trusted. */
export function mutationScore(fates: readonly MutantFate[]): MutationScore {
  const count = (wanted: MutantFate): number => fates.filter((fate) => fate === wanted).length;
  const [killed, wrongType, survived] = [count("killed"), count("wrong-type"), count("survived")];
  const noticed = killed + wrongType;
  const { low, high } = wilsonInterval(noticed, noticed + survived);
  return {
    mutants: fates.length,
    killed,
    wrong_type: wrongType,
    survived,
    score_pct: percent(share(noticed, survived)),
    tests_only_pct: percent(share(killed, survived)),
    low: percent(low),
    high: percent(high),
  };
}

/** The interval that holds the true share with a probability of 95%. */
export function wilsonInterval(hits: number, all: number): { readonly low: number; readonly high: number } {
  if (all === 0) return { low: 0, high: 1 };
  const seen = hits / all;
  const spread = Z * Math.sqrt((seen * (1 - seen)) / all + Z ** 2 / (4 * all ** 2));
  const middle = seen + Z ** 2 / (2 * all);
  const scale = 1 + Z ** 2 / all;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

/** How many mistakes of each kind survived, most first. */
export function survivingKinds(
  all: readonly { readonly kind: MutantKind; readonly fate: MutantFate }[],
): Readonly<Partial<Record<MutantKind, number>>> {
  const kinds = Map.groupBy(
    all.filter(({ fate }) => fate === "survived"),
    ({ kind }) => kind,
  );
  const counts = [...kinds].map(([kind, some]) => [kind, some.length] as const);
  return Object.fromEntries(counts.toSorted(([, one], [, other]) => other - one));
}

function share(noticed: number, survived: number): number {
  return noticed + survived === 0 ? 0 : noticed / (noticed + survived);
}

function percent(part: number): number {
  return Math.round(part * 1_000) / 10;
}
