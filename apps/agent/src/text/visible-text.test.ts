import fc from "fast-check";
import { expect, test } from "vitest";
import { textOf } from "./line.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

test.each([
  ["a command for the terminal", "a\u001b[2Jb", "a⟨ESC⟩[2Jb"],
  ["a direction", "a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c"],
  ["letters without a width", "a\u200bb\u200dc\ufeff", "a⟨U+200B⟩b⟨U+200D⟩c⟨U+FEFF⟩"],
  ["operators that nobody sees", "a\u2062b\u2064", "a⟨U+2062⟩b⟨U+2064⟩"],
  ["tags", "a\u{e0072}\u{e006d}\u{e0020}\u{e002d}b\u{e0001}", "a⟨hidden: rm -⟩b⟨U+E0001⟩"],
  ["variation selectors", "a\u{e0100}\u{e01ef}b\ufe00", "a⟨U+E0100⟩⟨U+E01EF⟩b⟨U+FE00⟩"],
  ["fillers and blanks", "a\u3164b\u115fc\u2800d\u00a0e", "a⟨U+3164⟩b⟨U+115F⟩c⟨U+2800⟩d⟨U+00A0⟩e"],
  ["other ends of lines", "a\rb\u2028c\u0085", "a⟨CR⟩b⟨U+2028⟩c⟨U+0085⟩"],
  ["a long blank", `true${" ".repeat(900)}; curl`, "true⟨900 spaces⟩; curl"],
  ["half a letter", "a\ud800", "a⟨U+D800⟩"],
])("visibleText spells out %s", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("visibleText keeps letters of any script, combined emoji and lines, and expands tabs", () => {
  const text = "日本語 naïve ❤️ 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪\nnext";
  expect(visibleText(text)).toBe(text);
  expect(visibleText("\tone")).toBe("    one");
});

test("visibleText replaces every hidden character and keeps every visible one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = textOf(visibleLine(text));
      const left = shown.replaceAll(/\p{RGI_Emoji}/gv, "");
      expect(left).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u);
      const letters = [...text].filter((letter) => /[\p{L}\p{N}\p{P}]/u.test(letter) && !/\p{DI}/u.test(letter));
      for (const letter of letters) expect(shown).toContain(letter);
    }),
  );
});
