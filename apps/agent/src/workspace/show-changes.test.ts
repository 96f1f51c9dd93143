import { expect, test } from "vitest";
import { showChanges, type TranscriptEntry } from "./read-transcript.ts";

const call = (name: string, input: object) => ({ kind: "tool_call", id: "1", name, input }) as const;

test("shows edits as diffs, and other calls and texts unchanged", async () => {
  const edits = [
    { kind: "text", text: "Now the limit." },
    call("Edit", { file_path: "a.ts", old_string: "one\ntwo", new_string: "one\nthree" }),
    call("Write", { file_path: "b.ts", content: "new\u202e\n" }),
    call("Read", { file_path: "c.ts" }),
  ] as const;
  const entry: TranscriptEntry = { entry: 3, who: "model", title: "calls Edit", text: "raw", seen: "yes", edits };
  const [shown] = await showChanges([entry]);
  expect(shown!.text.split("\n")).toEqual([
    "Now the limit.",
    "Edit a.ts (+1 -1)",
    "  one",
    "- two",
    "+ three",
    "Write b.ts (+1 -0)",
    "+ new⟨U+202E⟩",
    '[call of Read] {"file_path":"c.ts"}',
  ]);
  expect(shown!.kinds).toHaveLength(shown!.text.split("\n").length);
  expect(shown!.kinds?.slice(2, 4)).toEqual(["same", "removed"]);
});

test("keeps entries without edits", async () => {
  const entry: TranscriptEntry = { entry: 1, who: "you", title: "", text: "Hello", seen: "yes" };
  expect((await showChanges([entry]))[0]).toBe(entry);
});
