/** Chooses some of a list by chance, the same ones for the same seed, in the order of the list. */
export function sample<Value>(values: readonly Value[], count: number, seed: number): readonly Value[] {
  const random = createRandom(seed);
  const places = values.map((_, index) => index);
  // Fisher and Yates, as far as it is needed.
  for (let index = 0; index < Math.min(count, places.length); index++) {
    const other = index + Math.floor(random() * (places.length - index));
    [places[index], places[other]] = [places[other]!, places[index]!];
  }
  const chosen = places.slice(0, count).toSorted((one, other) => one - other);
  return chosen.map((index) => values[index]!);
}

/** Numbers from 0 to below 1: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
