import { expect, test } from "vitest";
import { changesGitSettings } from "./command-forms.ts";
import { parseLine } from "./parse-line.ts";

test.each<readonly [string, boolean]>([
  ["git config core.hooksPath hooks", true],
  ["git -C sub config --unset core.hooksPath", true],
  ["git config --get core.hooksPath", false],
  ["git config user.name", false],
  ["git remote add origin https://a.example", true],
  ["git remote -v", false],
  ["git submodule update --init", true],
  ["git submodule status", false],
  ["git worktree add ../other", true],
  ["git worktree list", false],
  ["git worktree remove add", false],
  ["git init", true],
  ["ls && git clone https://a.example", true],
  ["git status", false],
  ["npm init", false],
  ...["--add a.b c", "--unset-all a.b", "-e", "--edit", "set a.b c", "a.b c"].map(
    (rest) => [`git config ${rest}`, true] as const,
  ),
  ...["--get-all a.b c", "--list", "-l", "get a.b c", "list a", "--show-origin a.b c", "--name-only a b"].map(
    (rest) => [`git config ${rest}`, false] as const,
  ),
  ...["add", "remove", "rm", "rename", "set-url", "set-head", "set-branches"].map(
    (verb) => [`git remote ${verb} a b`, true] as const,
  ),
  ...["show", "get-url", "prune"].map((verb) => [`git remote ${verb} a`, false] as const),
  ...["add", "init", "update", "deinit", "sync", "set-url", "absorbgitdirs"].map(
    (verb) => [`git submodule ${verb}`, true] as const,
  ),
  ["git submodule summary", false],
  ["sudo git init", true],
])("%s", (text, changes) => {
  const line = parseLine(text);
  if (line.kind !== "parsed") throw new Error(line.kind);
  expect(changesGitSettings(line)).toBe(changes);
});
