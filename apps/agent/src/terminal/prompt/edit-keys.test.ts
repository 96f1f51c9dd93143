import { expect, test } from "vitest";
import { type Editor, type Edits, editKey, editorOf, editorText, type Key, NO_EDITS } from "./editor.ts";

const named = (name: Key["name"], held: Key["held"] = "nothing"): Key => ({ name, held, text: "" });
const letter = (text: string, held: Key["held"] = "nothing"): Key => ({ name: "text", held, text });

function after(keys: readonly Key[], text = ""): Editor {
  let [editor, edits]: [Editor, Edits] = [editorOf(text), NO_EDITS];
  for (const key of keys) {
    const next = editKey(editor, edits, key);
    if (next !== undefined) ({ editor, edits } = next);
  }
  return editor;
}

/** The text, with the cursor as a bar. */
function shown({ characters, cursor }: Editor): string {
  return [...characters.slice(0, cursor), "|", ...characters.slice(cursor)].join("");
}

test.each<[string, readonly Key[], string]>([
  ["Delete takes the character under the cursor", [named("home"), named("delete")], "|ne two"],
  ["Backspace takes the one before it", [named("backspace")], "one tw|"],
  ["ctrl-left and alt-left go back a word", [named("left", "ctrl"), named("left", "meta")], "|one two"],
  ["ctrl-right goes on a word", [named("home"), named("right", "ctrl")], "one| two"],
  ["alt-b and alt-f, too", [letter("b", "meta"), letter("b", "meta"), letter("f", "meta")], "one| two"],
  ["ctrl-a and ctrl-e", [letter("a", "ctrl"), letter("x"), letter("e", "ctrl"), letter("y")], "xone twoy|"],
  ["alt-backspace takes a word", [named("backspace", "meta")], "one |"],
  ["alt-d takes the next one", [named("home"), letter("d", "meta")], "| two"],
  [
    "ctrl-k and ctrl-y",
    [named("home"), letter("k", "ctrl"), letter("y", "ctrl"), letter("y", "ctrl")],
    "one twoone two|",
  ],
  ["ctrl-u takes all before the cursor", [letter("u", "ctrl")], "|"],
  ["ctrl-t swaps two characters", [letter("t", "ctrl")], "one tow|"],
  ["ctrl-d takes the character under the cursor", [named("home"), letter("d", "ctrl")], "|ne two"],
])("%s", (_, keys, expected) => {
  expect(shown(after(keys, "one two"))).toBe(expected);
});

test("ctrl-w takes a whole path, alt-backspace a part of it", () => {
  expect(editorText(after([letter("w", "ctrl")], "read src/a.ts"))).toBe("read ");
  expect(editorText(after([named("backspace", "meta")], "read src/a.ts"))).toBe("read src/a.");
});

test("ctrl-_ undoes word by word, cuts and pastes, and no further than the beginning", () => {
  const typed = [..."fix it now"].map((text) => letter(text));
  const undo = letter("_", "ctrl");
  expect(editorText(after([...typed, undo]))).toBe("fix it");
  expect(editorText(after([...typed, letter("u", "ctrl"), undo]))).toBe("fix it now");
  expect(editorText(after([...typed, undo, undo, undo, undo, undo]))).toBe("");
});
