import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../../test/processor-ms.ts";
import { sanitize, sanitizeAll } from "./sanitize.ts";
import { createSanitizer } from "./stream.ts";

function streamed(...chunks: readonly (string | Uint8Array)[]): string {
  const sanitizer = createSanitizer();
  return [...chunks.map((chunk) => sanitizer.push(chunk)), sanitizer.end()].join("");
}

const TAGS = [..."rm -rf ~"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");

test.each([
  ["removes terminal commands", "\u001b[31mred\u001b[0m\u0007", "red"],
  ["spells out directions", "a\u202eb\u2066c\u2069", "a⟨U+202E⟩b⟨U+2066⟩c⟨U+2069⟩"],
  ["spells out characters without a width", "a\u200bb\u200dc\u2060d\ufeff", "a⟨U+200B⟩b⟨U+200D⟩c⟨U+2060⟩d⟨U+FEFF⟩"],
  ["counts tags that encode a text", `Hello${TAGS}.`, "Hello⟨8 hidden characters⟩."],
  ["counts variation selectors after an emoji", `😀${"\u{e0100}\u{e0155}\ufe01".repeat(3)}`, "😀⟨9 hidden characters⟩"],
  ["spells out a second selector", "❤\ufe0f\ufe0f", "❤⟨U+FE0F⟩⟨U+FE0F⟩"],
  ["spells out selectors after letters", "a\ufe0fb\ufe0e", "a⟨U+FE0F⟩b⟨U+FE0E⟩"],
  ["spells out fillers and joiners", "a\u3164b\u034fc", "a⟨U+3164⟩b⟨U+034F⟩c"],
  ["spells out a direction in text that is written from left to right", "a\u200fb", "a⟨U+200F⟩b"],
  ["spells out a flag with unknown tags", "🏴\u{e0072}\u{e006d}\u{e007f}", "🏴⟨U+E0072⟩⟨U+E006D⟩⟨U+E007F⟩"],
  ["replaces half a character", "a\ud800b", "a\ufffdb"],
])("%s", (_, text, shown) => {
  expect(sanitize(text)).toBe(shown);
  expect(streamed(...text)).toBe(shown);
});

test.each([
  "Grüße, naïve 日本語\n\tx",
  "❤️ ☎︎ 👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈 ❤️‍🔥 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪",
  "می‌خواهم کتاب‌ها را بخوانم",
  "क्‍ष श्रीमान्‌ ক্‌ষ",
  "שלום (world)\u200f, \u200fעברית 1,2\u200e!",
  "葛\u{e0100}城市",
  "Donau\u00addampfschiff",
  "\ufeffimport x",
])("keeps ordinary text unchanged: %s", (text) => {
  expect(sanitize(text)).toBe(text);
  expect(streamed(...text)).toBe(text);
});

const piece = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    TAGS,
    "\u202e",
    "\u200d",
    "❤",
    "\ufe0f",
    "\u{e0101}",
    "👩",
    "ש",
    "\u200f",
    "\u001b[",
    "\r",
    "\n",
    "م",
  ),
);

test("changes nothing the second time, because neighboring text is judged as shown", () => {
  const shown = sanitize(`ש${"\u{e0041}".repeat(5)}${"\u2061".repeat(4)}x\u200f`);
  expect(shown).toBe("ש⟨9 hidden characters⟩x\u200f");
  const far = sanitize(`ש\u2061a\u2061b\u2061c\u2061d\u2061e\u200f`);
  expect(far).toBe("ש⟨U+2061⟩a⟨U+2061⟩b⟨U+2061⟩c⟨U+2061⟩d⟨U+2061⟩e⟨U+200F⟩");
  expect(sanitize(far)).toBe(far);
});

test("leaves hidden characters only in ordinary places of any text, wherever the chunks are cut, and changes nothing the second time", () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat({ max: 80 })), (pieces, cuts) => {
      const text = pieces.join("").toWellFormed();
      const shown = sanitize(text);
      expect(sanitize(shown)).toBe(shown);
      // Directions and tags are never a part of ordinary text, but in three flags.
      expect(shown.replaceAll(/🏴[\u{e0061}-\u{e007f}]{6}/gu, "")).not.toMatch(
        /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
      );
      expect(shown).not.toMatch(/\p{Default_Ignorable_Code_Point}{3}/u);
      const bytes = Buffer.from(text);
      const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = at.slice(1).map((place, position) => bytes.subarray(at[position], place));
      expect(streamed(...chunks)).toBe(streamed(bytes));
      expect(streamed(...text)).toBe(shown);
    }),
    { numRuns: 300 },
  );
});

test("takes little time for a million hidden characters, whole and in pieces", async () => {
  const run = "\u{e0041}".repeat(1_000_000);
  const pieces = Array.from({ length: 100 }, () => run.slice(0, 20_000));
  const usedMs = await processorMs(() => {
    expect(sanitize(`a${run}b`)).toBe("a⟨1000000 hidden characters⟩b");
    expect(streamed("a", ...pieces, "b").length).toBeLessThan(4_000);
  });
  expect(usedMs).toBeLessThan(10_000);
});

test("sanitizes every text in a value, including keys", () => {
  expect(sanitizeAll({ "a\u202e": ["\u001b[1mx", 5, null, { b: "y\u200b" }] })).toEqual({
    "a⟨U+202E⟩": ["x", 5, null, { b: "y⟨U+200B⟩" }],
  });
});
