import { type Line, plain } from "../../text/line.ts";
import { padText } from "../../text/width.ts";
import type { ScreenCommand } from "./screen-command.ts";

const KEYS: readonly (readonly [string, string])[] = [
  ["esc", "stops what runs; twice: back to an earlier message"],
  ["ctrl-o", "the transcript: all that was said, with search and undo"],
  ["shift-tab", "the next mode: what needs no permission"],
  ["ctrl-j, \\ enter", "a new line; alt-enter, too"],
  ["up, down", "what you said before"],
  ["@", "completes files; tab takes the choice"],
  ["!", "runs a command of yours; the model sees its output"],
  ["ctrl-c twice", "leaves; so does ctrl-d"],
];

export const help: ScreenCommand = {
  name: "help",
  about: "this list",
  when: "always",
  async open({ commands, print }) {
    const named = commands.map(
      ({ name, takes, about }) => [`/${name}${takes === undefined ? "" : ` ${takes}`}`, about] as const,
    );
    const width = Math.max(...[...named, ...KEYS].map(([name]) => name.length));
    const row = ([name, about]: readonly [string, string]): Line => [
      { text: `  ${padText(name, width)}  `, color: "you" },
      ...plain(about),
    ];
    print([
      plain("Commands", { weight: "bold" }),
      ...named.map(row),
      [],
      plain("Keys", { weight: "bold" }),
      ...KEYS.map(row),
    ]);
  },
};
