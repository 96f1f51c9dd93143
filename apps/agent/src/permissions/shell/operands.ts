import type { ShellWord } from "./shell-line.ts";

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
