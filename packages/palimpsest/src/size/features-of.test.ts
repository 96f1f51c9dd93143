import fc from "fast-check";
import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { addFeatures, FEATURE_NAMES, featuresOf, NO_FEATURES, scanText, type TextCounts } from "./calibration.ts";

const image: Block = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "aGVsbG8=" } };

test("counts a text as one block and its words", () => {
  expect(featuresOf({ kind: "text", text: "two words" })).toEqual({
    ...NO_FEATURES,
    ...scanText("two words"),
    blocks: 1,
  });
});

test("measures signed thinking by its signature, and unsigned thinking by its text", () => {
  const thinking = { kind: "thinking", provider: "some", text: "a summary" } as const;
  const signed = featuresOf({ ...thinking, signature: "x".repeat(400) });
  expect(signed).toEqual({ ...NO_FEATURES, blocks: 1, signatureCharacters: 400 });
  const sealed = { provider: "some", block: { type: "reasoning", sealed: "x".repeat(400) } };
  const length = "type".length + "reasoning".length + "sealed".length + 400;
  expect(featuresOf({ ...thinking, native: sealed })).toEqual({
    ...NO_FEATURES,
    blocks: 1,
    signatureCharacters: length,
  });
  expect(featuresOf(thinking)).toMatchObject({ blocks: 1, words: 2, signatureCharacters: 0 });
});

test("calls the tokenizer for texts only", () => {
  // Some count a mark for the beginning even of an empty text.
  const countText = (text: string) => text.length + 1;
  expect(featuresOf(image, { countText }).countedTokens).toBe(0);
  expect(featuresOf({ kind: "text", text: "abc" }, { countText }).countedTokens).toBe(4);
});

test("counts the name of a call, and the names and values of its input", () => {
  const input = { path: "src", lines: [1, 20], deep: { all: true } };
  const call = featuresOf({ kind: "tool_call", id: "1", name: "read", input });
  expect(call).toMatchObject({ blocks: 1, toolCalls: 1, inputFields: 4, words: 7, numbers: 2, marks: 0 });
});

test("counts an input that is not an object or is very deep", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
  expect(featuresOf({ kind: "tool_call", id: "1", name: "x", input: deep })).toMatchObject({ inputFields: 1 });
  expect(featuresOf({ kind: "tool_call", id: "1", name: "x", input: "not json" })).toMatchObject({ words: 3 });
});

test("counts the texts and media of a result in any form", () => {
  const text = featuresOf({ kind: "tool_result", callId: "1", content: "two words", status: "ok" });
  expect(text).toMatchObject({ blocks: 1, toolResults: 1, words: 2 });
  const parts = featuresOf({
    kind: "tool_result",
    callId: "1",
    content: [{ kind: "text", text: "two words" }, image, image],
    status: "error",
  });
  expect(parts).toEqual({ ...text, images: 2 });
});

test("counts images and documents by number, not by bytes", () => {
  expect(featuresOf(image)).toEqual({ ...NO_FEATURES, blocks: 1, images: 1 });
  expect(featuresOf({ ...image, kind: "document" })).toEqual({ ...NO_FEATURES, blocks: 1, documents: 1 });
});

test("counts an unknown block as its JSON", () => {
  const block: Block = { kind: "opaque", native: { provider: "some", block: { type: "search", query: "two words" } } };
  expect(featuresOf(block)).toMatchObject({ blocks: 1, words: 5, inputFields: 0 });
});

test("counts texts with the tokenizer if there is one", () => {
  const features = featuresOf({ kind: "text", text: "two words" }, { countText: (text) => text.length });
  expect(features).toEqual({ ...NO_FEATURES, blocks: 1, countedTokens: 9 });
});

test("adds features one by one", () => {
  const [text, picture] = [featuresOf({ kind: "text", text: "two words" }), featuresOf(image)];
  const sum = addFeatures(text, picture);
  for (const name of FEATURE_NAMES) expect(sum[name]).toBe(text[name] + picture[name]);
  expect(addFeatures(text, NO_FEATURES)).toEqual(text);
});

const NOTHING = scanText("");

test("finds no features in an empty text", () => {
  expect(new Set(Object.values(NOTHING))).toEqual(new Set([0]));
});

test.each<[string, Partial<TextCounts>]>([
  ["two words", { words: 2, letters: 6 }],
  ["camelCase HTTPServer", { words: 3, letters: 16 }],
  ["x".repeat(20), { words: 1, letters: 19, runOnLetters: 7 }],
  ["3 1415", { numbers: 2, digits: 3 }],
  ['{"a":1}', { words: 1, numbers: 1, marks: 3, furtherMarks: 2 }],
  ["a\n\n    b\n", { words: 2, lines: 2, spaces: 4 }],
  ["a\r\nb", { words: 2, lines: 1, spaces: 1 }],
  ["~", { marks: 1 }],
  ["\u007f", { furtherMarks: 1 }],
  ["Ωμέγα", { foreignLetters: 5 }],
  ["→ ───", { symbols: 2, furtherSymbols: 2 }],
  ["漢字かな한글", { ideographs: 6 }],
  ["🙂🙂", { emoji: 2 }],
  ["\u0000", { furtherMarks: 1 }],
  ["\u0001\u0002", { furtherMarks: 2 }],
  // The first and the last of each range.
  ["A z", { words: 2 }],
  ["Z a", { words: 2 }],
  ["09", { numbers: 1, digits: 1 }],
  ["/:@[`{", { marks: 1, furtherMarks: 5 }],
  // A half of a pair is encoded as a replacement character.
  ["\ud83d", { ideographs: 1 }],
])("counts in %j the features %j", (text, expected) => {
  expect(scanText(text)).toEqual({ ...NOTHING, ...expected });
});

test("counts texts separated by a line end like separate texts", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (first, second) => {
      const [left, right] = [scanText(`${first}\n`), scanText(second)];
      const both = scanText(`${first}\n${second}`);
      // Run-on letters are a matter of the average.
      for (const name of ["words", "letters", "digits", "marks", "lines", "spaces", "ideographs", "emoji"] as const) {
        expect(both[name]).toBe(left[name] + right[name]);
      }
    }),
  );
});

test("samples a long text, with the right counts for an even text", () => {
  const sentence = "const total = rows.map((row) => row.price * 1.19);\n";
  const [one, many] = [scanText(sentence), scanText(sentence.repeat(20_000))];
  for (const name of ["words", "letters", "numbers", "digits", "marks", "lines"] as const) {
    expect(many[name] / (20_000 * one[name])).toBeCloseTo(1, 1);
  }
});

test("samples a long text over its whole length", () => {
  const half = 500_000;
  const mixed = scanText("x".repeat(half) + "漢".repeat(half));
  expect(mixed.ideographs / half).toBeCloseTo(1, 1);
  expect(mixed.letters / half).toBeCloseTo(1, 1);
});
