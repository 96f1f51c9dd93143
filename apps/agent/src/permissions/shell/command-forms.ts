import { withoutGitOptions } from "./operands.ts";
import { programOf, type ShellCommand, type ShellWord } from "./shell-line.ts";

/** The words of a command as one text, quoted where they have to be: what rules that allow are held against. */
export function commandText({ words, assignments }: Pick<ShellCommand, "words" | "assignments">): string {
  return [...assignments, ...words].map(({ text }) => quoted(text)).join(" ");
}

function quoted(text: string): string {
  return /^[\w@%+=:,./~^*?[\]{}!#-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The texts of a command that rules which forbid are held against, each with the beginning that is known for sure: the words
 * without quotes, the program without its folder, git without the options before its command.
 */
export function commandForms(command: ShellCommand): readonly { readonly text: string; readonly beginning: string }[] {
  const { words } = command;
  const [name, ...args] = words;
  if (name === undefined) return [];
  const program = programOf(command) ?? name.text;
  const bare: ShellWord = { ...name, text: program, lead: name.state === "known" ? program : "" };
  const forms = [words, [bare, ...args], ...(program === "git" ? [[bare, ...withoutGitOptions(args)]] : [])];
  return forms.map((form) => {
    const unknown = form.findIndex(({ state }) => state === "unknown" || state === "pattern");
    const known = unknown === -1 ? form : form.slice(0, unknown);
    const before = known.map(({ text }) => text).join(" ");
    const space = unknown > 0 ? " " : "";
    return {
      text: form.map(({ text }) => text).join(" "),
      beginning: unknown === -1 ? before : `${before}${space}${unknown === 0 ? "" : form[unknown]!.lead}`,
    };
  });
}
