import { allCommands, programOf, type ShellCommand, type ShellLine, type ShellWord } from "./shell-line.ts";

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

/** Whether a line changes the settings of a repository, or makes one: `.git/config` is protected. */
export function changesGitSettings(line: ShellLine & { readonly kind: "parsed" }): boolean {
  return allCommands(line.commands).some((command) => {
    if (programOf(command) !== "git") return false;
    const [verb, ...rest] = withoutGitOptions(command.words.slice(1)).map(({ text }) => text);
    const isAsking = rest.some((text) => /^(--get[\w-]*|--list|-l|get|list|--show-\w+|--name-only)$/.test(text));
    const operands = rest.filter((text) => !text.startsWith("-"));
    if (verb === "config")
      return !isAsking && (operands.length > 1 || rest.some((text) => /^(--unset|-e|--edit|--add)/.test(text)));
    if (verb === "remote") return /^(add|remove|rm|rename|set-url|set-head|set-branches)$/.test(operands[0] ?? "");
    if (verb === "submodule") return /^(add|init|update|deinit|sync|set-url|absorbgitdirs)$/.test(operands[0] ?? "");
    return verb === "init" || verb === "clone" || (verb === "worktree" && operands[0] === "add");
  });
}

/** Before the command of git. */
const GIT_OPTIONS: readonly string[] = "-C -c --git-dir --work-tree --namespace --exec-path --config-env".split(" ");

/** The words behind the options. Some options take a word of their own, or two. */
export function operands(
  args: readonly ShellWord[],
  valued: readonly string[],
  paired: readonly string[] = [],
): readonly ShellWord[] {
  let at = 0;
  for (; at < args.length && args[at]!.text.startsWith("-"); at++) {
    const { text } = args[at]!;
    if (text === "--") return args.slice(at + 1);
    if (paired.includes(text)) at += 2;
    else if (valued.some((option) => isShortFor(text, option))) at += 1;
  }
  return args.slice(at);
}

/** `--signal`, and `--sig`: most programs take the beginning of a long option for the whole (getopt_long). */
export function isShortFor(text: string, option: string): boolean {
  return text === option || (/^--\w/.test(text) && option.startsWith(text));
}

/** The words of git from its command on: what `git -C folder` stands before. */
export function withoutGitOptions(args: readonly ShellWord[]): readonly ShellWord[] {
  return operands(args, GIT_OPTIONS);
}
