/** One word of a command as the shell would hand it on. */
export interface ShellWord {
  /** Without quotes. Parts that are not known before the line runs stay as they are written. */
  readonly text: string;
  /** The beginning that is known: all of the word, or what stands before the first expansion. */
  readonly lead: string;
  /** `pattern`: the shell makes names of files of it. `unknown`: it depends on what happens before. */
  readonly state: "known" | "pattern" | "unknown";
}

/** A command with its words, and what is known of the commands that it starts itself. */
export interface ShellCommand {
  /** The program first. Empty: nothing but assignments. */
  readonly words: readonly ShellWord[];
  /** Variables that are set for it: `NAME=value`. */
  readonly assignments: readonly ShellWord[];
  /** `same`: it only runs what it starts, such as `timeout 5 npm test`. `other`: it does more than that. */
  readonly effect: "same" | "other";
  /** Commands that it starts: those behind `sudo`, `xargs`, `find -exec`, in the text of `bash -c`. */
  readonly starts: readonly ShellCommand[];
  /** Why it may run something that is no command of the line; undefined: nothing says so. */
  readonly unseen?: Unseen;
  /** The folder that it runs in, from that of the line. Undefined: not known. */
  readonly folder: string | undefined;
}

export interface Unseen {
  readonly why: string;
  /** `words`: it stands in the line, in another language. `elsewhere`: it is not known before the line runs. */
  readonly where: "words" | "elsewhere";
}

export interface ShellRedirect {
  readonly target: ShellWord;
  readonly access: "read" | "write";
  readonly folder: string | undefined;
}

/** A line as the shell would read it. */
export type ShellLine =
  | {
      readonly kind: "parsed";
      /** In the order in which they are written: those of pipes, lists, loops, functions and substitutions. */
      readonly commands: readonly ShellCommand[];
      readonly redirects: readonly ShellRedirect[];
    }
  /** It is no line of bash, or one that is too long or nested too deeply. */
  | { readonly kind: "unparsed"; readonly problem: string };

/** All commands of a line, with those that they start. */
export function allCommands(commands: readonly ShellCommand[]): readonly ShellCommand[] {
  return commands.flatMap((command) => [command, ...allCommands(command.starts)]);
}

/** Name of the program without its folder. Undefined: it is not known before the line runs. */
export function programOf({ words: [name] }: Pick<ShellCommand, "words">): string | undefined {
  return name?.state === "known" ? name.text.slice(name.text.lastIndexOf("/") + 1) : undefined;
}
