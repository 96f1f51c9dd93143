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

test("calls of an attempt that came to nothing count until the user speaks", () => {
  const attempt = (sequence: number, more: object): ReadEntry => ({
    kind: "attempt",
    sequence,
    payload: { trigger: "auto", reason: "economic", failure: "api-error", why: "529", ...more },
  });
  const after = foldCarriedState(EMPTY_CARRIED_STATE, attempt(1, { calls: 8 }), 0);
  expect(after.calls).toBe(8);
  // An attempt of an earlier release says nothing of them.
  expect(foldCarriedState(after, attempt(2, {}), 0).calls).toBe(8);
  const said = { role: "user", origin: "human", blocks: [{ kind: "text", text: "Continue." }] } as const;
  expect(foldCarriedState(after, { kind: "message", sequence: 3, payload: said }, 0).calls).toBe(0);
});
