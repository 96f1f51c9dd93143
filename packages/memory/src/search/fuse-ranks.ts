/** Damps the lead of the first places: the usual value of reciprocal rank fusion (Cormack et al., 2009). */
const DAMPING = 60;

export interface FusedRank {
  readonly slug: string;
  readonly score: number;
}

/** Merges rankings whose scores have nothing in common, by their places alone; the best first. */
export function fuseRanks(rankings: readonly (readonly string[])[]): readonly FusedRank[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings) {
    for (const [place, slug] of ranking.entries()) {
      scores.set(slug, (scores.get(slug) ?? 0) + 1 / (DAMPING + place + 1));
    }
  }
  return [...scores].map(([slug, score]) => ({ slug, score })).toSorted((one, other) => other.score - one.score);
}
