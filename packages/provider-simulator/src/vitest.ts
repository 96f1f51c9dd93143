import { matchers as plain } from "./matchers/matchers.ts";

export type { MatcherResult } from "./matchers/matchers.ts";
export type { Judged } from "./matchers/read-traffic.ts";

/** The matchers as a test sees them. */
export interface SimulatorMatchers<Result> {
  /** No request was refused. */
  toBeAccepted(): Result;
  /** More than this share of the input was read from the prompt cache: 0.9 is 90%. */
  toHaveCacheHitAbove(share: number): Result;
  /** All requests together cost less than this many US dollars. */
  toCostBelow(dollars: number): Result;
}

/** Matchers for `expect.extend`. None passes without a single request: a test that sent nothing has shown nothing. */
export const matchers: typeof plain = plain satisfies import("vitest").MatchersObject;

declare module "vitest" {
  // Type parameters of a merged interface must be those of vitest 5.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends SimulatorMatchers<R> {}
}
