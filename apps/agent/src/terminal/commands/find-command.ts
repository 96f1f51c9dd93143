import { nearest } from "../../text/nearest.ts";
import type { ScreenCommand } from "./screen-command.ts";

export type FoundCommand =
  | { readonly kind: "found"; readonly command: ScreenCommand; readonly words: string }
  | { readonly kind: "unknown"; readonly hint: string };

/** Finds a slash command. The hint for an unknown word names the closest command. */
export function findCommand(text: string, commands: readonly ScreenCommand[]): FoundCommand {
  const [, word = "", words = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = commands.find(({ name }) => name === word.toLowerCase());
  if (command !== undefined) return { kind: "found", command, words: words.trim() };
  const meant = nearest(
    word,
    commands.map(({ name }) => name),
  );
  const hint = meant === undefined ? "To list all commands: /help" : `Did you mean /${meant}?`;
  return { kind: "unknown", hint: `Unknown command /${word}. ${hint}` };
}

/** Whether a command can run beside a turn. An unknown one can: it only says so. */
export function runsAlways(text: string, commands: readonly ScreenCommand[]): boolean {
  if (!text.startsWith("/")) return false;
  const found = findCommand(text, commands);
  return found.kind === "unknown" || found.command.when === "always";
}
