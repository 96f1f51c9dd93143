import { expect, test } from "vitest";
import { isShortFor, operands, withoutGitOptions } from "./command-forms.ts";
import type { ShellWord } from "./shell-line.ts";

test("operands stand behind the options, and behind the words that options take", () => {
  expect(texts(operands(words("-v -n 5 ls -n 6"), ["-n"]))).toBe("ls -n 6");
  expect(texts(operands(words("--interval=5 ls"), ["--interval"]))).toBe("ls");
  expect(texts(operands(words("--set a b ls"), [], ["--set"]))).toBe("ls");
  expect(texts(operands(words("ls"), ["-n"]))).toBe("ls");
  expect(texts(operands(words("-n 5"), ["-n"]))).toBe("");
});

test("behind -- everything is an operand", () => {
  expect(texts(operands(words("-v -- -n 5"), ["-n"]))).toBe("-n 5");
});

test("a long option that is cut takes its word as the whole one does", () => {
  expect(texts(operands(words("--sig KILL 5 rm x"), ["--signal"]))).toBe("5 rm x");
});

test("only a long option can be cut, and only down to its first letter", () => {
  expect(isShortFor("--signal", "--signal")).toBe(true);
  expect(isShortFor("--s", "--signal")).toBe(true);
  expect(isShortFor("-s", "-s")).toBe(true);
  for (const text of ["--", "-", "-s", "--signals", "--x", ""]) expect(isShortFor(text, "--signal")).toBe(false);
});

test("git's own options stand before its command", () => {
  expect(texts(withoutGitOptions(words("-C folder -c a=b --git-dir=x push --exec y")))).toBe("push --exec y");
  expect(texts(withoutGitOptions(words("--no-pager log")))).toBe("log");
});

function words(line: string): readonly ShellWord[] {
  return line.split(" ").map((text): ShellWord => ({ text, lead: text, state: "known" }));
}

function texts(found: readonly ShellWord[]): string {
  return found.map(({ text }) => text).join(" ");
}
