/** By law: how many random cases there were, and what happened in them. */
export type Covered = Readonly<
  Record<string, { readonly cases: number; readonly counts: Readonly<Record<string, number>> }>
>;

/** Adds up what the laws told, one line of JSON for each time that a law was held. */
export function addCovered(lines: readonly string[]): Covered {
  const laws: Record<string, { cases: number; counts: Record<string, number> }> = {};
  for (const line of lines) {
    const { law, cases, counts } = JSON.parse(line) as { law: string; cases: number; counts: Record<string, number> };
    laws[law] ??= { cases: 0, counts: {} };
    const sum = laws[law];
    sum.cases += cases;
    for (const [what, times] of Object.entries(counts)) sum.counts[what] = (sum.counts[what] ?? 0) + times;
  }
  return laws;
}
