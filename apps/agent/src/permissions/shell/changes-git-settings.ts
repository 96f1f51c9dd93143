import { withoutGitOptions } from "./operands.ts";
import { allCommands, programOf, type ShellLine } from "./shell-line.ts";

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
