import { expect, test } from "vitest";
import { parseLine } from "./parse-line.ts";
import { allCommands } from "./shell-line.ts";

function parsed(text: string) {
  const line = parseLine(text);
  if (line.kind !== "parsed") throw new Error(line.problem);
  return line;
}

/** Each command of a line, with the folder that it runs in. */
const folders = (text: string) =>
  Object.fromEntries(allCommands(parsed(text).commands).map(({ words, folder }) => [words[0]?.text, folder]));

test.each([
  ["ls; cd a; cat b", { ls: "", cat: "a" }],
  ["cd a && cd b && cat c", { cat: "a/b" }],
  ["cd a; cd /b; cat c", { cat: "/b" }],
  ["cd a; cd ~/b; cat c", { cat: "~/b" }],
  ["pushd a; cat b", { cat: "a" }],
  ["cd; cat b", { cat: "~" }],
  ["cd -; cat b", { cat: undefined }],
  ["cd $X; cat b", { cat: undefined }],
  ["cd $X; cd a; cat b", { cat: undefined }],
  ["cd $X; cd /a; cat b", { cat: "/a" }],
  // A shell of its own goes there for itself only; braces, loops and functions are none.
  ["(cd a; cat b); ls", { cat: "a", ls: "" }],
  ["echo $(cd a; cat b); ls", { cat: "a", ls: "" }],
  ["diff <(cd a; cat b) c; ls", { cat: "a", ls: "" }],
  ["{ cd a; cat b; }; ls", { cat: "a", ls: "a" }],
  ["if cd a; then cat b; fi; ls", { cat: "a", ls: "a" }],
  ["cd a; bash -c 'cat b; cd c; wc d'; ls", { cat: "a", wc: "a/c", ls: "a" }],
  ["cd a; sudo cat b", { cat: "a" }],
])("a command runs in the folder that the line went to: %s", (text, expected) => {
  expect(folders(text)).toMatchObject(expected);
});

test.each([
  ["ls > a", [["a", "write", ""]]],
  ["ls >> a", [["a", "write", ""]]],
  ["cat < a", [["a", "read", ""]]],
  ["cat <> a", [["a", "write", ""]]],
  ["ls &> a", [["a", "write", ""]]],
  ["ls >& a", [["a", "write", ""]]],
  [
    "ls 2> a 3< b",
    [
      ["a", "write", ""],
      ["b", "read", ""],
    ],
  ],
  ["cd a; ls > b", [["b", "write", "a"]]],
  ["bash -c 'ls > a'", [["a", "write", ""]]],
  // These open no file; a file may be named by a number.
  ["ls 2>&1 >&- <&3 3<&4-", []],
  ["ls > 1", [["1", "write", ""]]],
  ["cat << E\na > b\nE", []],
  ["cat <<< 'a > b'", []],
])("the shell itself opens what a line redirects: %s", (text, expected) => {
  const { redirects } = parsed(text);
  expect(redirects.map(({ target, access, folder }) => [target.text, access, folder])).toEqual(expected);
});

test("what a shell reads is run if it is written in the line: the last input counts", () => {
  const started = (text: string) =>
    parsed(text)
      .commands.at(-1)!
      .starts.map(({ words }) => words.map((word) => word.text).join(" "));
  expect(started("bash <<'E'\nls a\nE")).toEqual(["ls a"]);
  expect(started("bash <<< 'ls a'")).toEqual(["ls a"]);
  expect(started("bash <<< 'ls a' <<< 'ls b'")).toEqual(["ls b"]);
  expect(started("bash <<< 'ls a' > out")).toEqual(["ls a"]);
  expect(started("bash <<< 'ls a' < file")).toEqual([]);
});

test("what is too long, too deep, too much or no line of bash is not read, and it is said why", () => {
  const nested = (depth: number) => `${"sudo ".repeat(depth)}ls`;
  const coded = (depth: number): string => (depth === 0 ? "ls" : `eval ${JSON.stringify(coded(depth - 1))}`);
  const problemOf = (text: string) => {
    const line = parseLine(text);
    return line.kind === "unparsed" ? line.problem : allCommands(line.commands).find((one) => one.unseen)?.unseen?.why;
  };
  for (const text of ["x".repeat(100_000), "ls;".repeat(1_000), nested(8), coded(8), "ls # '"]) {
    expect([text.slice(0, 20), problemOf(text)]).toEqual([text.slice(0, 20), undefined]);
  }
  expect(problemOf("x".repeat(100_001))).toContain("100001 characters");
  expect(problemOf("ls;".repeat(1_001))).toContain("more than 1000 commands");
  expect(problemOf(nested(9))).toContain("too deeply");
  expect(problemOf(coded(9))).toContain("too deeply");
  expect(problemOf("ls \0a")).toContain("NUL");
  // The place is counted from 1, and the first problem is the one that is told.
  expect(problemOf("'a")).toMatch(/\(character [12]\)$/);
  expect(problemOf("if true; then")).toMatch(/\(character \d+\)$/);
});
