import fc from "fast-check";
import { expect, test } from "vitest";
import { createEscapeFilter } from "./stream.ts";

function filtered(...chunks: readonly (string | Uint8Array)[]): string {
  const filter = createEscapeFilter();
  return [...chunks.map((chunk) => filter.push(chunk)), filter.end()].join("");
}

const ESC = "\u001b";

test.each([
  ["removes colors", `${ESC}[31mred${ESC}[0m`, "red"],
  ["removes a title", `a${ESC}]0;title\u0007b`, "ab"],
  ["removes a clipboard command", `a${ESC}]52;c;c2VjcmV0${ESC}\\b`, "ab"],
  ["removes a link", `${ESC}]8;;http://x${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
  ["removes a device string", `a${ESC}P1$q"p${ESC}\\b`, "ab"],
  ["removes one-byte commands", "a\u009b31mb\u009d0;t\u009cc", "abc"],
  ["removes a change of the character set", `a${ESC}(Bb`, "ab"],
  ["removes a reset", `a${ESC}cb`, "ab"],
  ["removes a command within a command", `a${ESC}[3${ESC}[31mb`, "ab"],
  ["removes an unfinished string up to the end of the line", `a${ESC}]0;title\nb`, "a\nb"],
  ["removes bells, backspaces, NUL and DEL", "a\u0007\b\u0000\u007fb", "ab"],
  ["converts all line breaks", "a\r\nb\rc\r\r\nd\te", "a\nb\nc\n\nd\te"],
  ["shows each version of an overwritten line", `10%\r${ESC}[K20%\r\n`, "10%\n20%\n"],
])("%s", (_, text, plain) => {
  expect(filtered(text)).toBe(plain);
});

test("keeps plain text unchanged", () => {
  expect(filtered("Grüße 👨‍👩‍👧 日本\n\tx")).toBe("Grüße 👨‍👩‍👧 日本\n\tx");
});

test("removes every terminal command from any output, wherever the chunks are cut", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(ESC, `${ESC}[`, `${ESC}]52;c;`, "\u009b", "\r", "\n", "\u0007", `${ESC}\\`, "31m", "é"),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat({ max: 60 })), (pieces, cuts) => {
      const bytes = Buffer.from(pieces.join("").toWellFormed());
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((place, position) => bytes.subarray(places[position], place));
      const plain = filtered(...chunks);
      expect(plain).not.toMatch(/(?![\n\t])\p{Cc}/u);
      expect(plain).toBe(filtered(bytes));
    }),
    { numRuns: 200 },
  );
});
