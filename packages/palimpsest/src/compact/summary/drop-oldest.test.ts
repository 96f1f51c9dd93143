import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutMarker, dropOldest } from "./transcript.ts";

const tokensOf = (tokens: number): number => tokens;

describe("what goes", () => {
  test("as many as the gap asks for", () => {
    expect(dropOldest([10, 20, 30, 40], { gapTokens: 25, tokensOf })?.dropped).toEqual([10, 20]);
    expect(dropOldest([10, 20, 30, 40], { gapTokens: 30, tokensOf })?.dropped).toEqual([10, 20]);
    expect(dropOldest([10, 20, 30, 40], { gapTokens: 1_000, tokensOf })?.kept).toEqual([40]);
  });

  test("a fifth, where the error names no number", () => {
    expect(
      dropOldest(
        Array.from({ length: 20 }, () => 1),
        { tokensOf },
      )?.dropped,
    ).toHaveLength(4);
    expect(dropOldest([1, 2], { tokensOf })?.dropped).toEqual([1]);
  });

  test("undefined if there is nothing left to drop", () => {
    expect(dropOldest([], { tokensOf })).toBeUndefined();
    expect(dropOldest([1_000], { gapTokens: 1, tokensOf })).toBeUndefined();
  });

  test("at least one goes and one stays, whatever the gap; so trying again comes to an end", () => {
    const gaps = fc.option(fc.integer({ min: -10, max: 1_000 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.nat(100), { maxLength: 50 }), gaps, (all, gapTokens) => {
        let rounds: readonly number[] = all;
        for (let tries = 0; ; tries++) {
          const next = dropOldest(rounds, { tokensOf, ...(gapTokens === undefined ? {} : { gapTokens }) });
          if (next === undefined) break;
          expect([...next.dropped, ...next.kept]).toEqual(rounds);
          expect(next.dropped.length).toBeGreaterThan(0);
          expect(next.kept.length).toBeGreaterThan(0);
          expect(tries).toBeLessThan(all.length);
          rounds = next.kept;
        }
        expect(rounds).toEqual(all.slice(-1));
      }),
    );
  });
});

test("the marker names all that was cut", () =>
  expect(
    cutMarker([
      { from: 3, to: 9 },
      { from: 5, to: 7 },
    ]),
  ).toContain("entries 3 to 9"));
