/** Chance that is the same on every machine. */
export interface Random {
  /** A whole number from 0 on. */
  below(limit: number): number;
  pick<Value>(from: readonly Value[]): Value;
  /** True in this share of all cases. */
  happens(share: number): boolean;
}

/** Whatever is drawn depends on the seed alone, so each thing can have its own. */
export function createRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (limit) => Math.floor(next() * limit),
    pick: (from) => from[Math.floor(next() * from.length)]!,
    happens: (share) => next() < share,
  };
}
