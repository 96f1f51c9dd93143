import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { addFeatures, FEATURE_NAMES, featuresOf, NO_FEATURES, scanText } from "./features.ts";

const image: Block = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "aGVsbG8=" } };

test("a text is one block and what it holds", () => {
  expect(featuresOf({ kind: "text", text: "two words" })).toEqual({
    ...NO_FEATURES,
    ...scanText("two words"),
    blocks: 1,
  });
});

test("signed thinking is known by its signature, unsigned by its text", () => {
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

test("a tokenizer is asked for texts only", () => {
  // Some count a mark for the beginning even of an empty text.
  const countText = (text: string) => text.length + 1;
  expect(featuresOf(image, { countText }).countedTokens).toBe(0);
  expect(featuresOf({ kind: "text", text: "abc" }, { countText }).countedTokens).toBe(4);
});

test("a call holds its name, and names and values of its input", () => {
  const input = { path: "src", lines: [1, 20], deep: { all: true } };
  const call = featuresOf({ kind: "tool_call", id: "1", name: "read", input });
  expect(call).toMatchObject({ blocks: 1, toolCalls: 1, inputFields: 4, words: 7, numbers: 2, marks: 0 });
});

test("an input that is no object, or very deep, is counted too", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
  expect(featuresOf({ kind: "tool_call", id: "1", name: "x", input: deep })).toMatchObject({ inputFields: 1 });
  expect(featuresOf({ kind: "tool_call", id: "1", name: "x", input: "not json" })).toMatchObject({ words: 3 });
});

test("a result holds its texts and media, whatever their form", () => {
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

test("the bytes of an image or a document do not count, their number does", () => {
  expect(featuresOf(image)).toEqual({ ...NO_FEATURES, blocks: 1, images: 1 });
  expect(featuresOf({ ...image, kind: "document" })).toEqual({ ...NO_FEATURES, blocks: 1, documents: 1 });
});

test("an unknown block is its JSON", () => {
  const block: Block = { kind: "opaque", native: { provider: "some", block: { type: "search", query: "two words" } } };
  expect(featuresOf(block)).toMatchObject({ blocks: 1, words: 5, inputFields: 0 });
});

test("where there is a tokenizer, texts are counted and not described", () => {
  const features = featuresOf({ kind: "text", text: "two words" }, { countText: (text) => text.length });
  expect(features).toEqual({ ...NO_FEATURES, blocks: 1, countedTokens: 9 });
});

test("features add up, one by one", () => {
  const [text, picture] = [featuresOf({ kind: "text", text: "two words" }), featuresOf(image)];
  const sum = addFeatures(text, picture);
  for (const name of FEATURE_NAMES) expect(sum[name]).toBe(text[name] + picture[name]);
  expect(addFeatures(text, NO_FEATURES)).toEqual(text);
});
