import fc from "fast-check";
import { spellForEditing } from "palimpsest/sanitize";
import { expect, test } from "vitest";
import { replaceText, restoreHidden } from "./replace-text.ts";

const unique = { occurrences: "unique" } as const;

test("an edit finds hidden characters by their marks, and keeps only the repeated ones", () => {
  const content = "if (a\u202e) {\n  b\u200b();\n}\n";
  expect(spellForEditing(content).text).toBe("if (a⟨U+202E⟩) {\n  b⟨U+200B⟩();\n}\n");
  const kept = replaceText(content, { oldText: "if (a⟨U+202E⟩)", newText: "while (a⟨U+202E⟩)", ...unique });
  expect(kept).toEqual({ kind: "edited", content: "while (a\u202e) {\n  b\u200b();\n}\n", lines: [1] });
  const removed = replaceText(content, { oldText: "a⟨U+202E⟩) {\n  b⟨U+200B⟩", newText: "a) {\n  b", ...unique });
  expect(removed).toMatchObject({ content: "if (a) {\n  b();\n}\n" });
});

test("an edit writes an unknown mark literally", () => {
  const edit = { oldText: "b⟨U+200B⟩", newText: "b ⟨U+202E⟩", ...unique };
  expect(replaceText("b\u200b", edit)).toMatchObject({ content: "b ⟨U+202E⟩" });
  expect(replaceText("say ⟨U+202E⟩", { oldText: "⟨U+202E⟩", newText: "it", ...unique })).toMatchObject({
    content: "say it",
  });
});

test("an ambiguous edit is refused, and an edit of smaller parts is not", () => {
  const content = `a${"\u{e0041}".repeat(9)} b${"\u{e0042}".repeat(9)}`;
  const mark = "⟨9 hidden characters⟩";
  const both = { oldText: `a${mark} b${mark}`, newText: `a${mark}`, ...unique };
  expect(replaceText(content, both)).toEqual({ kind: "refused", reason: expect.stringContaining(mark) });
  expect(replaceText(content, { ...both, newText: "a b" })).toMatchObject({ content: "a b" });
  expect(replaceText(content, { oldText: `a${mark}`, newText: `x${mark}`, ...unique })).toMatchObject({
    content: content.replace("a", "x"),
  });
  expect(restoreHidden(`${mark}`, content)).toEqual({ kind: "ambiguous", mark });
});

test("an edit handles carriage returns and control characters", () => {
  const content = "a\u001b[1m\r\nb\u200b\r\n";
  expect(spellForEditing(content).text).toBe("a⟨U+001B⟩[1m\r\nb⟨U+200B⟩\r\n");
  expect(
    replaceText(content, { oldText: "a⟨U+001B⟩[1m\nb⟨U+200B⟩", newText: "a\nb⟨U+200B⟩", ...unique }),
  ).toMatchObject({
    content: "a\r\nb\u200b\r\n",
  });
});

const piece = fc.constantFrom(
  "a",
  "b",
  "\n",
  "\u202e",
  "\u200b",
  "\u{e0041}".repeat(7),
  "❤\ufe0f",
  "⟨U+202E⟩",
  "\u0007",
  "é",
);
const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));

test("writing back the shown text changes no file, or is refused", () => {
  fc.assert(
    fc.property(text, (content) => {
      const restored = restoreHidden(spellForEditing(content).text, content);
      if (restored.kind === "restored") expect(restored.text).toBe(content);
      else {
        // The file contains the mark literally, or the mark stands for runs of equal length with different characters.
        const own = spellForEditing(content).places.filter(({ shown }) => shown === restored.mark);
        expect(content.includes(restored.mark) || new Set(own.map(({ raw }) => raw)).size > 1).toBe(true);
      }
    }),
  );
});

test("any edit of the shown text keeps the other bytes of the file", () => {
  fc.assert(
    fc.property(text, text, text, (before, middle, after) => {
      const content = `${before}<${middle}>${after}`;
      const shown = spellForEditing(content).text;
      const oldText = `<${spellForEditing(middle).text}>`;
      fc.pre(shown.includes(oldText));
      const edited = replaceText(content, { oldText, newText: "[]", ...unique });
      if (edited.kind === "edited") expect(edited.content).toBe(`${before}[]${after}`);
    }),
  );
});
