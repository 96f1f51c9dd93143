import { type RatePlace, testRates } from "./contract/rates.ts";

export type { RatePlace } from "./contract/rates.ts";

/** Your test function, and the rate source to test. */
export interface TestRateSourceOptions {
  /** The test function of the runner in use: that of vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** A new place. */
  place(): Promise<RatePlace>;
}

/** What every `RateSource` must do, as tests. Call it once, in a test file, with the runner's own `test`. */
export function testRateSource({ test, place }: TestRateSourceOptions): void {
  testRates((name, run) => test(name, async () => run(await place())));
}
