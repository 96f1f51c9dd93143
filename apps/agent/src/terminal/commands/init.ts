import type { ScreenCommand } from "./screen-command.ts";

const PROMPT = `Write AGENTS.md for this project: the instructions that a coding agent reads at the start of every session.
Look first: the README, the manifest files, the folders, the CI workflow, and AGENTS.md or CLAUDE.md if they exist (then improve
the file, and keep what still holds). Then write, in at most 60 lines:
- what the project is, in two sentences;
- the commands to build, test one file, test everything, lint and format, as the project really runs them;
- where things are: the folders that matter, one line each;
- rules that a newcomer would break, as the code shows them.
Leave out what any engineer knows, and whatever you have not seen in a file. Name in your answer what you could not find out.`;

export const init: ScreenCommand = {
  name: "init",
  about: "let the model write AGENTS.md, the project's instructions",
  open: ({ submit }) => submit(PROMPT),
};
