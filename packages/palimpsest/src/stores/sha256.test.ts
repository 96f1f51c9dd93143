import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { portableSha256, sha256 } from "./sha256.ts";

const reference = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

test("portableSha256 returns the digest of node:crypto for any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(100), (bytes, from) => {
      const part = bytes.subarray(Math.min(from, bytes.length));
      expect(portableSha256(part)).toBe(reference(part));
    }),
  );
});

test("portableSha256 returns the digest of node:crypto for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(portableSha256(text)).toBe(reference(text));
    }),
  );
});

test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1_000_000])("portableSha256 pads %i bytes", (length) => {
  const bytes = new Uint8Array(length).fill(97);
  expect(portableSha256(bytes)).toBe(reference(bytes));
  expect(sha256(bytes)).toBe(reference(bytes));
});

test("sha256 returns the digest of abc from FIPS 180-4", () => {
  expect(portableSha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("both functions return the same digest for half a surrogate pair", () => {
  expect(portableSha256("a\ud83d")).toBe(sha256("a\ud83d"));
});
