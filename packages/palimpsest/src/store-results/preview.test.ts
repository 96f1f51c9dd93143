import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CUT_CHARACTERS,
  collectEnds,
  cutContent,
  endsOf,
  jsonKeys,
  looksLikeJson,
  type PreviewShape,
  previewText,
  shapeOf,
} from "./preview.ts";
import { PREVIEW_FRAME_CHARACTERS } from "./store.ts";

const MAX = 200;
const ends = (text: string) => endsOf(new TextEncoder().encode(text), MAX);
const preview = (text: string, shape: PreviewShape, recall: "offered" | "missing" = "offered") =>
  previewText(ends(text), { shape, maxCharacters: MAX, entry: 17, path: "/results/ab.txt", recall });
const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

test("shows both ends of a command's output, and the omitted lines", () => {
  expect(preview(numbered(1_000), "head-and-tail")).toBe(
    [
      "<persisted-output>",
      "Too large to be shown: 8,893 bytes, 1,000 lines.",
      "It is in /results/ab.txt",
      "To read or search it: recall, entry 17.",
      "",
      ...numbered(11).trimEnd().split("\n"),
      "[left out: lines 12 to 987]",
      ...numbered(1_000).trimEnd().split("\n").slice(987),
      "",
      "</persisted-output>",
    ].join("\n"),
  );
});

test("mentions recall only if the model has the tool", () => {
  const [with_, without] = [preview(numbered(1_000), "head"), preview(numbered(1_000), "head", "missing")];
  expect(without).toBe(with_.replace("To read or search it: recall, entry 17.\n", ""));
});

test("shows the beginning of a listing", () => {
  const text = preview(numbered(1_000), "head");
  expect(text).toContain("line 26\n[left out: lines 27 to 1,000]\n</persisted-output>");
  expect(text).not.toContain("line 1000");
});

test("names the keys of data", () => {
  const json = JSON.stringify({ items: Array.from({ length: 200 }, () => ({ deep: 1 })), total: 3 });
  expect(preview(json, "head")).toContain("\nKeys: items\n");
  expect(shapeOf("run", ends(json))).toBe("head");
});

test("names a cut line on both sides", () => {
  expect(preview(`first\n${"x".repeat(1_000)}`, "head-and-tail")).toContain("[left out: the rest of line 2]");
  // The note has a line of its own.
  const long = "x".repeat(1_000);
  expect(preview(long, "head")).toContain("x\n[left out: the rest of line 1]\n");
  expect(preview(long, "head-and-tail")).toContain("x\n[left out: the rest of line 1]\nx");
});

test("escapes the tags of the frame in content", () => {
  const text = preview(`</persisted-output>\n<PERSISTED-OUTPUT>\n${"x".repeat(900)}`, "head-and-tail");
  expect(text.match(/<\/?persisted-output/gi)).toEqual(["<persisted-output", "</persisted-output"]);
});

test("makes a bounded, well-formed and repeatable preview of any content", () => {
  const shapes = fc.constantFrom<PreviewShape>("head", "head-and-tail");
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 2 * MAX, maxLength: 3 * MAX }), shapes, (text, shape) => {
      const shown = preview(text, shape);
      expect(shown.isWellFormed()).toBe(true);
      // A tag that was made harmless is three characters longer.
      expect(shown.length).toBeLessThanOrEqual(MAX + PREVIEW_FRAME_CHARACTERS);
      expect(preview(text, shape)).toBe(shown);
    }),
  );
});

test.each([
  ["grep", "head"],
  ["list_files", "head"],
  ["bash", "head-and-tail"],
  [undefined, "head-and-tail"],
] as const)("shapeOf chooses for %s the shape %s", (tool, shape) => {
  expect(shapeOf(tool, ends(numbered(100)))).toBe(shape);
});

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The same bytes in other pieces. */
function* cutInto(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = Math.max(1, sizes[index % Math.max(1, sizes.length)] ?? 7);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

test("collectEnds gives the same ends for any pieces of any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.integer({ min: 1, max: 90 })), (bytes, sizes) => {
      const ends = collectEnds(20);
      for (const piece of cutInto(bytes, sizes)) ends.add(piece);
      expect(ends.end()).toEqual(endsOf(bytes, 20));
    }),
  );
});

test("collectEnds returns the ends of a text and its number of lines", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      const { head, tail, bytes, lines } = endsOf(encode(text), 20);
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(Math.min(head.length, tail.length)).toBeGreaterThanOrEqual(Math.min(19, text.length));
      expect(Math.max(head.length, tail.length)).toBeLessThanOrEqual(20);
      expect(bytes).toBe(encode(text).length);
      expect(lines).toBe(text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);
    }),
  );
});

test("collectEnds shows invalid UTF-8 as U+FFFD, and keeps a byte order mark", () => {
  expect(endsOf(Uint8Array.of(0xff, 0x61), 9).head).toBe("\ufffda");
  expect(endsOf(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 9).head).toBe("\ufeffa");
});

test("jsonKeys finds the keys of the outermost object, even in a list and in a cut text", () => {
  expect(jsonKeys('{"a":{"b":1},"c\\"d":[{"e":2}],"f":"x: {"}')).toEqual(["a", 'c\\"d', "f"]);
  expect(jsonKeys(' [\n{"id": 1, "name": "n"}, {"other": 1}]')).toEqual(["id", "name"]);
  expect(jsonKeys('{"a":"unfin')).toEqual(["a"]);
  expect(jsonKeys("[1, 2]")).toEqual([]);
  expect(jsonKeys('log: {"a":1}')).toEqual([]);
});

test("jsonKeys finds the keys of any object in order", () => {
  const key = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 8 }), (value) => {
      expect(jsonKeys(JSON.stringify(value))).toEqual(Object.keys(value));
    }),
  );
});

test("jsonKeys returns the first twenty keys, each cut to its beginning", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}${"x".repeat(60)}`, index]));
  const keys = jsonKeys(JSON.stringify(many));
  expect(keys).toEqual(
    Object.keys(many)
      .slice(0, 20)
      .map((key) => key.slice(0, 40)),
  );
});

test("looksLikeJson recognizes JSON by its ends", () => {
  expect(looksLikeJson({ head: ' {"a"', tail: "1}\n" })).toBe(true);
  expect(looksLikeJson({ head: "{ echo", tail: "done" })).toBe(false);
  expect(looksLikeJson({ head: "", tail: "" })).toBe(false);
});

const ENDS = { head: "", tail: "", bytes: 1_234_567, lines: 8_901 };
const FULL = new Error("the disk is full");

test("cutContent never splits a character", () => {
  const { text, failure } = cutContent(`${"a".repeat(CUT_CHARACTERS - 1)}😀`, ENDS, FULL);
  expect([text.isWellFormed(), text.includes("\ufffd"), failure.shown]).toEqual([true, false, "beginning"]);
  expect(cutContent("a\ud83d", ENDS, FULL).text).toBe("a\ufffd");
});
