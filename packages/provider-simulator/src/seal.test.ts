import fc from "fast-check";
import { expect, test } from "vitest";
import { seal, unseal } from "./seal.ts";

test("what was sealed comes back, at the length that was asked for", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), fc.nat(5_000), (payload, characters) => {
      const sealed = seal("secret", payload, characters);
      expect(unseal("secret", sealed)).toEqual({ ...payload });
      expect(sealed).toMatch(/^[A-Za-z0-9+/=]+$/);
      // Base64 comes in fours; beyond that the length is what the caller wanted.
      if (characters > 1_000)
        expect(Math.abs(sealed.length - Math.max(characters, seal("secret", payload).length))).toBeLessThanOrEqual(4);
    }),
  );
});

test("nothing else opens", () => {
  const sealed = seal("secret", { a: "1" });
  expect(unseal("other", sealed)).toBeUndefined();
  expect(unseal("secret", `${sealed.slice(0, -6)}AAAAAA`)).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(unseal("secret", text)).toBeUndefined();
    }),
  );
});
