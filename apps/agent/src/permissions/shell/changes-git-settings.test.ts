import { expect, test } from "vitest";
import { changesGitSettings } from "./changes-git-settings.ts";
import { parseLine } from "./parse-line.ts";

test.each([
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
])("%s", (text, changes) => {
  const line = parseLine(text);
  if (line.kind !== "parsed") throw new Error(line.kind);
  expect(changesGitSettings(line)).toBe(changes);
});
