import type { MutantKind } from "./mutant.ts";

/** `invalid`: with it no test file could be loaded, so that nothing was judged. */
export type MutantFate = "killed" | "survived" | "invalid";

export interface MutationScore {
  readonly mutants: number;
  readonly killed: number;
  readonly survived: number;
  /** Of those that could be judged. */
  readonly score_pct: number;
  /** The 95% interval of the score of all mutants of the folder, by Wilson. */
  readonly low: number;
  readonly high: number;
}

const Z = 1.959964;

/** The share of mistakes that tests noticed, and how far a sample of this size can be trusted. */
export function mutationScore(fates: readonly MutantFate[]): MutationScore {
  const killed = fates.filter((fate) => fate === "killed").length;
  const survived = fates.filter((fate) => fate === "survived").length;
  const { low, high } = wilsonInterval(killed, killed + survived);
  const share = killed + survived === 0 ? 0 : killed / (killed + survived);
  return { mutants: fates.length, killed, survived, score_pct: percent(share), low: percent(low), high: percent(high) };
}

/** The interval that holds the true share with a probability of 95%. */
export function wilsonInterval(hits: number, all: number): { readonly low: number; readonly high: number } {
  if (all === 0) return { low: 0, high: 1 };
  const share = hits / all;
  const spread = Z * Math.sqrt((share * (1 - share)) / all + Z ** 2 / (4 * all ** 2));
  const middle = share + Z ** 2 / (2 * all);
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

function percent(share: number): number {
  return Math.round(share * 1_000) / 10;
}
