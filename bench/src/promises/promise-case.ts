import type { Random } from "../random.ts";

/** One promise to users, tried end to end: through the public library or the agent's command line, against the simulator. */
export interface PromiseCase {
  /** A sentence that is true or false. */
  readonly promise: string;
  readonly side: "library" | "agent";
  /** Does what a user would do, and holds what comes of it against the promise. An error it throws breaks the promise. */
  check(world: PromiseWorld): Promise<void>;
}

export interface PromiseWorld {
  readonly seed: number;
  /** Sizes, words and orders are drawn from it: the same for the same case and seed. */
  readonly random: Random;
  /** Empty, and removed afterwards. */
  readonly folder: string;
  /** States that the promise was kept in one respect. */
  holds(condition: boolean, what: string): void;
  /** States that something was reported: to the person as a line, to the program as an event, to the operator as a metric. */
  reported(condition: boolean, what: string): void;
}
