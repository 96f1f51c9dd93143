import { COMMAND_NAMES, type CommandName, definitionOf } from "../cli/command-list.ts";

/** What can stand at a place of the command line: words, or what a command prints. */
export type Completed =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** Ids of sessions, from `SESSION_IDS`. */
  | { readonly kind: "sessions" }
  /** Something of one's own: nothing is offered. */
  | { readonly kind: "free" };

/** Asked each time that a session is to be completed, so it opens none. */
export const SESSION_IDS = "palimpsest sessions --ids 2>/dev/null";

export interface CompletedOption {
  /** `--mode`, and `-p` where there is a short one. */
  readonly names: readonly string[];
  readonly about: string;
  /** Undefined: it has no value. */
  readonly value?: Completed;
}

export interface CompletedCommand {
  readonly name: CommandName;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  readonly operands: Completed;
}

/** All that can be completed, from the definitions of the commands: the scripts of all shells are written from it. */
export function completedCommands(): readonly CompletedCommand[] {
  return COMMAND_NAMES.map((name) => {
    const { about, options, operands } = definitionOf(name);
    return {
      name,
      about,
      options: [
        ...Object.entries(options).map(([long, option]) => ({
          names: [`--${long}`, ...(option.short === undefined ? [] : [`-${option.short}`])],
          about: option.about,
          ...(option.type === "boolean" ? {} : { value: toCompleted(option.completes ?? option.of) }),
        })),
        { names: ["--help", "-h"], about: "more about it" },
      ],
      operands: toCompleted(operands?.completes),
    };
  });
}

function toCompleted(what: "sessions" | "commands" | readonly string[] | undefined): Completed {
  if (what === undefined) return { kind: "free" };
  if (what === "sessions") return { kind: "sessions" };
  return { kind: "words", words: what === "commands" ? COMMAND_NAMES : what };
}
