import { expect, test } from "vitest";
import { parseLine } from "./parse-line.ts";

test("each program that find starts ends where its words end, by a semicolon or a plus", () => {
  const line = parseLine("find . -exec ls -l {} + -exec cat a ';' -print");
  if (line.kind !== "parsed") throw new Error(line.kind);
  const [find] = line.commands;
  // What find puts in is not known.
  expect(find!.starts.map(({ words }) => words.map(({ text }) => text))).toEqual([
    ["ls", "-l", "...", "..."],
    ["cat", "a", "..."],
  ]);
});
