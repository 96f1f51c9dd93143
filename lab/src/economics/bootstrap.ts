import { createRandom } from "../random.ts";

const RESAMPLES = 2_000;
const LEVEL = { low: 0.025, high: 0.975 };

/** Draws with replacement, the same on every machine. */
export type Draws = readonly (readonly number[])[];

export function draws(count: number, seed: string): Draws {
  const random = createRandom(seed);
  return Array.from({ length: RESAMPLES }, () => Array.from({ length: count }, () => random.below(count)));
}

/** The value of a statistic, and the bounds within which it is in 95% of all draws. */
export type Interval = readonly [value: number, low: number, high: number];

/** @param statistic of a sample, given by its indexes */
export function intervalOf(count: number, drawn: Draws, statistic: (sample: readonly number[]) => number): Interval {
  const whole = statistic(Array.from({ length: count }, (_, index) => index));
  const values = drawn.map(statistic).sort((one, other) => one - other);
  const at = (share: number): number => values[Math.min(values.length - 1, Math.floor(share * values.length))]!;
  return [whole, at(LEVEL.low), at(LEVEL.high)];
}
