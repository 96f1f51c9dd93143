import { describe, expect, test } from "vitest";
import type { ReadEntry } from "../log/draft.ts";
import { type CarriedState, EMPTY_CARRIED_STATE, foldCarriedState } from "./carried.ts";

function refusedWith(limits: readonly (number | undefined)[], before = EMPTY_CARRIED_STATE): CarriedState {
  return limits.reduce<CarriedState>((carriedState, limitTokens, index) => {
    const payload = limitTokens === undefined ? {} : { limitTokens };
    return foldCarriedState(
      carriedState,
      { kind: "overflow", sequence: index + 1, payload } as unknown as ReadEntry,
      0,
    );
  }, before);
}

test("of the limits that refusals name, the smallest holds, in whatever order they came", () => {
  expect(refusedWith([100_000, 200_000]).limitTokens).toBe(100_000);
  expect(refusedWith([200_000, 100_000]).limitTokens).toBe(100_000);
  expect(refusedWith([100_000, undefined]).limitTokens).toBe(100_000);
  expect(refusedWith([undefined]).limitTokens).toBeUndefined();
  expect(refusedWith([1, 2, 3]).overflows).toBe(3);
});

test("calls of an attempt that came to nothing count until the user speaks", () => {
  const attempt = (sequence: number, more: object): ReadEntry => ({
    kind: "attempt",
    sequence,
    payload: { trigger: "auto", reason: "economic", failure: "api-error", why: "529", ...more },
  });
  const after = foldCarriedState(EMPTY_CARRIED_STATE, attempt(1, { calls: 8 }), 0);
  expect(after.calls).toBe(8);
  // An attempt that made no calls names no number.
  expect(foldCarriedState(after, attempt(2, {}), 0).calls).toBe(8);
  const said = { role: "user", origin: "human", blocks: [{ kind: "text", text: "Continue." }] } as const;
  expect(foldCarriedState(after, { kind: "message", sequence: 3, payload: said }, 0).calls).toBe(0);
});

describe("behind a boundary", () => {
  const boundary = (sequence: number, standing: unknown): ReadEntry =>
    ({
      kind: "boundary",
      sequence,
      payload: { from: 1, to: sequence - 1, with: [], outline: [], state: { standing } },
    }) as unknown as ReadEntry;
  const fold = (entries: readonly ReadEntry[], before = EMPTY_CARRIED_STATE): CarriedState =>
    entries.reduce<CarriedState>((carriedState, entry) => foldCarriedState(carriedState, entry, 0), before);
  const pinned = { kind: "pin", sequence: 2, payload: { text: "No floats for money." } } as const;
  const heard = {
    kind: "message",
    sequence: 3,
    payload: { role: "user", origin: "human", blocks: [{ kind: "text", text: "Go on." }] },
  } as const;
  const before = { ...fold([pinned, heard]), said: [3], limitTokens: 90_000, notes: { entry: 1, coveredTo: 1 } };

  test("everything that it carries still holds, and compactions are counted on", () => {
    const stored: unknown = JSON.parse(JSON.stringify(before));
    const after = fold([boundary(4, stored)]);
    expect(after).toMatchObject({
      pins: [{ entry: 2, text: "No floats for money." }],
      said: [3],
      notes: { entry: 1 },
      limitTokens: 90_000,
      userMessages: 1,
      turn: before.turn,
      chain: { boundary: 4, boundaries: 1, turns: 0 },
    });
    const later = fold([{ ...heard, sequence: 5 }], after);
    expect(later.chain).toEqual({ boundary: 4, boundaries: 1, turns: 1 });
    expect(fold([boundary(6, later)]).chain).toEqual({ boundary: 6, boundaries: 2, turns: 0 });
  });
});

test("a limit holds for its model", () => {
  const configured = (before: CarriedState, model: string): CarriedState => {
    const payload = { provider: "p", model };
    return foldCarriedState(before, { kind: "configuration", sequence: 9, payload } as unknown as ReadEntry, 0);
  };
  const refused = refusedWith([100_000], configured(EMPTY_CARRIED_STATE, "m"));
  expect(refused).toMatchObject({ limitTokens: 100_000, model: "p/m" });
  expect(configured(refused, "m").limitTokens).toBe(100_000);
  expect(configured(refused, "n")).not.toHaveProperty("limitTokens");
});
