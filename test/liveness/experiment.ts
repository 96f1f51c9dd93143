import type { Witness } from "./witness.ts";
import type { Values } from "./world.ts";

/** Drives real sessions under these settings. Returns what can be seen of it from outside: requests, log, output. */
export type Drive = (values: Values, witness: Witness) => Promise<unknown>;

/** Two values of a setting which must make a difference that can be seen, with the settings under which they do. */
export interface Experiment {
  readonly values: readonly [unknown, unknown];
  readonly drive: Drive;
  readonly under?: Values;
}

export function experiment(drive: Drive, values: Experiment["values"], under: Values = {}): Experiment {
  return { drive, values, under };
}
