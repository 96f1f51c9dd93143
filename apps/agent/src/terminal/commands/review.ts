import type { ScreenCommand } from "./screen-command.ts";

const DEFAULT =
  "the uncommitted changes (git status, git diff HEAD); if there are none, the commits of this branch that the main branch does not have";

export const review: ScreenCommand = {
  name: "review",
  takes: "[WHAT]",
  about: "let the model review your changes, or a commit, branch or file",
  open: ({ submit, words }) =>
    submit(`Review ${words === "" ? DEFAULT : words}. Change nothing.
Read the whole functions around each change, and their callers and tests. Report only what you have checked in the code: errors,
lost cases, broken callers, security, missing tests. For each: file and line, what goes wrong with which input, and the fix.
The worst first. If nothing is wrong, say so, and say what you looked at.`),
};
