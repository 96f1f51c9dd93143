import { expect, test } from "vitest";
import { type Concern, concernsCall } from "./decide-permission.ts";
import type { LocatedPath, PermissionCall } from "./permission-call.ts";
import { readRule } from "./rule.ts";
import { parseLine } from "./shell/parse-line.ts";

const ABOUT = {
  place: "inside",
  hosts: [],
  enclosure: "none",
  base: { folder: "/work/project", home: "/home/user" },
} as const;

function line(text: string, touched: readonly LocatedPath[] = []): PermissionCall {
  return { ...ABOUT, tool: "Bash", effect: "run", paths: [], command: { text, line: parseLine(text), touched } };
}

function onFiles(tool: string, ...paths: readonly string[]): PermissionCall {
  return { ...ABOUT, tool, effect: "read", paths };
}

function naming(access: LocatedPath["access"], ...paths: readonly string[]): PermissionCall {
  return line("program", [{ paths, access, by: "redirect", place: "inside" }]);
}

const concern = (rule: string, call: PermissionCall): Concern => concernsCall(readRule(rule, "deny", "user")!, call);

test.each([
  ["Bash", line("ls"), "yes"],
  ["Read", line("ls"), "no"],
  ["*", onFiles("Grep", "a"), "yes"],
  ["Edit", onFiles("Read", "a"), "no"],
] as const)("a rule without a pattern, %s, holds for all calls of its tool", (rule, call, kind) => {
  expect(concern(rule, call).kind).toBe(kind);
});

test.each([
  ["Read(.env)", onFiles("Read", ".env"), "yes"],
  ["Read(.env)", onFiles("Grep", "sub/.env"), "yes"],
  // As written, and as it really is: one of them is enough.
  ["Read(.env)", onFiles("Read", "link", ".env"), "yes"],
  ["Read(.env)", onFiles("Read", "a"), "no"],
  ["Read(.env)", onFiles("Read"), "no"],
  ["Read(.env)", onFiles("Edit", ".env"), "no"],
  ["Read(~/.ssh)", onFiles("Read", "/home/user/.ssh/id"), "yes"],
  ["Read(/work/project/a)", onFiles("Read", "a"), "yes"],
] as const)("%s holds for a tool of its kind that names the file", (rule, call, kind) => {
  expect(concern(rule, call).kind).toBe(kind);
});

test.each([
  ["Read(.env)", naming("read", ".env"), "yes"],
  ["Read(.env)", naming("write", ".env"), "no"],
  ["Edit(.env)", naming("write", ".env"), "yes"],
  ["Edit(.env)", naming("read", ".env"), "no"],
  ["Read(.env)", naming("read", "link", ".env"), "yes"],
  ["Read(.env)", naming("read", "a"), "no"],
  // A rule for files says nothing of the words of a line.
  ["Read(program)", naming("read", "a"), "no"],
  ["Read(rm *)", line("rm -r a"), "no"],
] as const)("%s holds for a line that names the file", (rule, call, kind) => {
  expect(concern(rule, call).kind).toBe(kind);
});

test.each([
  ["rm -r a", "yes"],
  ["  rm  -r a\n", "yes"],
  ["rm", "yes"],
  ["ls && /bin/rm a", "yes"],
  ["sudo rm a", "yes"],
  ["'r'm a", "yes"],
  ["ls rm", "perhaps"],
  ["ls rm.md norm src/form", "no"],
  ["X='a rm' ls", "perhaps"],
  ["ls $X", "no"],
  ["$X a", "perhaps"],
  ["rm$X a", "perhaps"],
  ["node -e 'x'", "perhaps"],
  ["ls; ls | sh", "perhaps"],
  // No line of bash: nobody knows what it would run, unless the text itself fits.
  ["ls 'a", "perhaps"],
  ["rm 'a", "yes"],
  [" rm 'a ", "yes"],
] as const)("a rule for rm and the line %j", (text, kind) => {
  expect(concern("Bash(rm *)", line(text)).kind).toBe(kind);
});

test("a word that is not known may become what the rule forbids, and it is said which", () => {
  const open = concern("Bash(git push --force*)", line("git push $X"));
  expect(open).toEqual({ kind: "perhaps", why: expect.stringContaining('"git push $X"') });
  expect(concern("Bash(git push --force*)", line("git pull $X")).kind).toBe("no");
  expect(concern("Bash(git push --force*)", line("git push origin")).kind).toBe("perhaps");
  expect(concern("Bash(git push --force*)", line("git push")).kind).toBe("perhaps");
  expect(concern("Bash(git push *main)", line("git push a/b $X")).kind).toBe("perhaps");
  const piped = concern("Bash(rm *)", line("ls | sh"));
  expect(piped).toMatchObject({ kind: "perhaps", why: expect.stringContaining("sh") });
  expect(concern("Bash(rm *)", line("ls 'a"))).toMatchObject({ why: expect.stringMatching(/./) });
});
