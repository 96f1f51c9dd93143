export interface DropOptions<Round> {
  /** By how much the request was too long, if the error has named it. */
  readonly gapTokens?: number;
  readonly tokensOf: (round: Round) => number;
}

export interface Dropped<Round> {
  readonly dropped: readonly Round[];
  readonly kept: readonly Round[];
}

/** Where no number is known, so many go at a time. */
const USUAL_SHARE = 0.2;

/**
 * For a request that was too long: which of the oldest rounds go. At least one goes and at least one stays; undefined if
 * that cannot be.
 */
export function dropOldest<Round>(
  rounds: readonly Round[],
  { gapTokens, tokensOf }: DropOptions<Round>,
): Dropped<Round> | undefined {
  if (rounds.length < 2) return undefined;
  const wanted =
    gapTokens === undefined ? Math.ceil(rounds.length * USUAL_SHARE) : countFor(rounds, gapTokens, tokensOf);
  const count = Math.min(Math.max(1, wanted), rounds.length - 1);
  return { dropped: rounds.slice(0, count), kept: rounds.slice(count) };
}

function countFor<Round>(rounds: readonly Round[], gapTokens: number, tokensOf: (round: Round) => number): number {
  let left = gapTokens;
  let count = 0;
  while (left > 0 && count < rounds.length) left -= tokensOf(rounds[count++]!);
  return count;
}

/**
 * What stands before the rest. It is made for each try from all that was dropped and never put among the rounds: a marker
 * that counts as one would be what the next try drops, for ever.
 */
export function cutMarker(dropped: readonly { readonly from: number; readonly to: number }[]): string {
  const from = dropped.reduce((least, round) => Math.min(least, round.from), Number.POSITIVE_INFINITY);
  const to = dropped.reduce((most, round) => Math.max(most, round.to), 0);
  return `[Earlier conversation did not fit and was cut here: entries ${from} to ${to}. What follows begins in the middle.]`;
}
