import { expect, test } from "vitest";
import type { ReadEntry } from "../../log/read-payload.ts";
import { type CarriedState, EMPTY_CARRIED_STATE, foldCarriedState } from "./carried-state.ts";

function refusedWith(...limits: readonly (number | undefined)[]): CarriedState {
  return limits.reduce<CarriedState>((carriedState, limitTokens, index) => {
    const payload = limitTokens === undefined ? {} : { limitTokens };
    return foldCarriedState(
      carriedState,
      { kind: "overflow", sequence: index + 1, payload } as unknown as ReadEntry,
      0,
    );
  }, EMPTY_CARRIED_STATE);
}

test("of the limits that refusals name, the smallest holds, in whatever order they came", () => {
  expect(refusedWith(100_000, 200_000).limitTokens).toBe(100_000);
  expect(refusedWith(200_000, 100_000).limitTokens).toBe(100_000);
  expect(refusedWith(100_000, undefined).limitTokens).toBe(100_000);
  expect(refusedWith(undefined).limitTokens).toBeUndefined();
  expect(refusedWith(1, 2, 3).overflows).toBe(3);
});
