import { COMMAND_NAMES, type CommandName, definitionOf } from "../cli/command-list.ts";

/** The completions of an argument: fixed words, or the output of a command. */
export type Completed =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** Session ids, printed by `SESSION_IDS`. */
  | { readonly kind: "sessions" }
  /** Free text: no completions. */
  | { readonly kind: "free" };

/** Runs for each completion of a session, so it must be fast: it opens no session. */
export const SESSION_IDS = "palimpsest sessions --ids 2>/dev/null";

export interface CompletedOption {
  /** `--mode`, and `-p` if there is a short form. */
  readonly names: readonly string[];
  readonly about: string;
  /** Undefined for an option without a value. */
  readonly value?: Completed;
}

export interface CompletedCommand {
  readonly name: CommandName;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  readonly operands: Completed;
}

/** The completions of all commands, from their definitions. The scripts of all shells are generated from it. */
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
