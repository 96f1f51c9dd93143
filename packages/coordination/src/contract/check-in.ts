/** What every contract is given: how to run a test, and where. */
export interface ContractOptions<Place> {
  /** The test function of the runner in use: that of vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** A new, empty place. */
  place(): Promise<Place>;
}

/** Runs each case of a contract in a new place, which is removed at its end, whether it passed or not. */
export function checkIn<Place extends { remove(): Promise<void> }>({
  test,
  place,
}: ContractOptions<Place>): (name: string, run: (place: Place) => Promise<void>) => void {
  return (name, run) =>
    test(name, async () => {
      const somewhere = await place();
      try {
        await run(somewhere);
      } finally {
        await somewhere.remove();
      }
    });
}
