export interface DropOptions<Round> {
  /** The excess of the request, if the error names it. */
  readonly gapTokens?: number;
  readonly tokensOf: (round: Round) => number;
}

export interface Dropped<Round> {
  readonly dropped: readonly Round[];
  readonly kept: readonly Round[];
}

/** The number of rounds dropped at a time if no excess is known. */
const USUAL_SHARE = 0.2;

/**
 * Chooses which of the oldest rounds to drop from a request that was too long. At least one is dropped and one stays; undefined
 * if that is impossible.
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
 * The text before the remaining rounds. It is made new for each try and is never one of the rounds: otherwise each try would
 * only drop the marker of the last.
 */
export function cutMarker(dropped: readonly { readonly from: number; readonly to: number }[]): string {
  const from = dropped.reduce((least, round) => Math.min(least, round.from), Number.POSITIVE_INFINITY);
  const to = dropped.reduce((most, round) => Math.max(most, round.to), 0);
  return `[Earlier conversation did not fit and was cut here: entries ${from} to ${to}. What follows begins in the middle.]`;
}
