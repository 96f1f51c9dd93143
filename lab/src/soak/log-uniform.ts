import type { Random } from "../random.ts";

/** A whole number of which any order of magnitude is as likely as another. */
export function logUniform(random: Random, [smallest, largest]: readonly [number, number]): number {
  return Math.round(smallest * (largest / smallest) ** (random.below(2 ** 30) / 2 ** 30));
}
