import fc from "fast-check";
import { expect, test } from "vitest";
import { shownFile } from "./calls.ts";

test.each([
  ["sed -n '1,240p' src/a.ts", { path: "src/a.ts", range: [1, 240] }],
  ["sed -n 3,9p 'a file.ts'", { path: "a file.ts", range: [3, 9] }],
  ["nl -ba src/a.ts | sed -n '10,20p'", { path: "src/a.ts", range: [10, 20] }],
  ["cat src/a.ts | sed -n 10,20p", { path: "src/a.ts", range: [10, 20] }],
  ["cat -n /repo/a.ts", { path: "/repo/a.ts" }],
  ['cat "a file.ts"', { path: "a file.ts" }],
  ["head -50 a.ts", { path: "a.ts", range: [1, 50] }],
  ["head -n 50 a.ts", { path: "a.ts", range: [1, 50] }],
  ["cd /repo/ && cat src/a.ts", { path: "/repo/src/a.ts" }],
  ["cd sub && cat /etc/hosts", { path: "/etc/hosts" }],
])("%s shows a file", (command, shown) => {
  expect(shownFile(command)).toEqual(shown);
});

test.each([
  "cat a.ts b.ts",
  "cat $FILE",
  "cat *.ts",
  "cat a.ts > b.ts",
  "cat a.ts | grep x",
  "sed -i 's/a/b/' a.ts",
  "sed -n '9,3p' a.ts",
  "sed -n '0,3p' a.ts",
  "cat a.ts && rm a.ts",
  "echo cat a.ts",
  "cat",
  "",
])("%s is not a look at one file", (command) => {
  expect(shownFile(command)).toBeUndefined();
});

test("any command is read, in time that grows with its length", () => {
  fc.assert(fc.property(fc.string(), (text) => void expect(() => shownFile(`cat ${text}`)).not.toThrow()));
  expect(shownFile(`cat ${"a ".repeat(100_000)}`)).toBeUndefined();
});
