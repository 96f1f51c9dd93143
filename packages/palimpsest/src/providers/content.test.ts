import fc from "fast-check";
import { expect, test } from "vitest";
import { base64Bytes, base64Text, toBase64 } from "./content.ts";

const reference = (data: string): string => Buffer.from(data, "base64").toString("utf8");

test("decodes any bytes to the same text as Buffer", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.constantFrom("base64", "base64url"), (bytes, form) => {
      const data = Buffer.from(bytes).toString(form);
      expect(base64Text(data)).toBe(reference(data));
    }),
  );
});

test("keeps a byte order mark", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(base64Text(Buffer.from(`\ufeff${text}`).toString("base64"))).toBe(`\ufeff${text}`);
    }),
  );
});

test("decodes malformed base64 like Buffer", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(..."YWJ 9+/-_\n!é"), { maxLength: 20 }),
      fc.constantFrom("", "=", "=="),
      (characters, end) => {
        const data = characters.join("") + end;
        expect(base64Text(data)).toBe(reference(data));
      },
    ),
  );
});

test("decodes what it has encoded", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect([...base64Bytes(toBase64(bytes))]).toEqual([...bytes]);
    }),
    { numRuns: 20 },
  );
});
