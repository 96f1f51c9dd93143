import { type Line, plain } from "../../text/line.ts";
import { inColumns } from "../../text/table.ts";
import type { ScreenCommand } from "./screen-command.ts";

/** The keys that `/help` explains. */
export const KEYS: readonly (readonly [keys: string, about: string])[] = [
  ["esc", "stop the model; twice: go back to an earlier message"],
  ["ctrl-o", "open the transcript: the whole conversation, with search and undo"],
  ["shift-tab", "switch the permission mode"],
  ["alt-t", "change how much the model thinks (/effort)"],
  ["ctrl-j, \\ enter", "insert a new line; so does alt-enter"],
  ["up, down", "your earlier messages; during a turn, what waits"],
  ["ctrl-r", "search your earlier messages"],
  ["ctrl-g", "write the message in your editor (VISUAL, EDITOR)"],
  ["ctrl-_, ctrl-y", "undo; put back what ctrl-k, ctrl-u or ctrl-w cut"],
  ["@", "attach a file, lines (@a.ts:3-9) or a folder (@src/); tab completes"],
  ["!", "run a shell command; the model sees its output"],
  ["ctrl-b", "move the running command to the background (/tasks)"],
  ["ctrl-z", "suspend the program; fg in your shell continues it"],
  ["ctrl-c twice", "exit; so does ctrl-d"],
];
const NAME_COLUMNS = 20;

export const help: ScreenCommand = {
  name: "help",
  about: "show this list",
  when: "always",
  async open({ commands, print, columns }) {
    const named = commands.map(
      ({ name, takes, about }) => [`/${name}${takes === undefined ? "" : ` ${takes}`}`, about] as const,
    );
    const rows = (of: readonly (readonly [string, string])[]): readonly Line[] =>
      inColumns(of, columns - 2, NAME_COLUMNS).map((row) => plain(`  ${row}`));
    print([
      plain("Commands", { weight: "bold" }),
      ...rows(named),
      [],
      plain("Keys", { weight: "bold" }),
      ...rows(KEYS),
    ]);
  },
};
