import fc from "fast-check";
import { expect, test } from "vitest";
import { inPieces } from "./in-pieces.ts";

test("pieces join to the text, split no pair, and are few", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 500 }), fc.integer({ min: 1, max: 20 }), (text, times) => {
      const whole = text.repeat(times);
      const pieces = inPieces(whole);
      expect(pieces.join("")).toBe(whole);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(whole.isWellFormed());
      expect(pieces.length).toBeLessThanOrEqual(41);
    }),
  );
});
