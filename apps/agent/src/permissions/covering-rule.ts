import { fitsPath, placePattern } from "./path-pattern.ts";
import type { CommandLine, LocatedPath, PermissionCall } from "./permission-call.ts";
import type { PermissionMode } from "./permission-verdict.ts";
import { fitsCommand, fitsTool, type Rule } from "./rule.ts";
import { commandText } from "./shell/command-forms.ts";
import type { ShellCommand } from "./shell/shell-line.ts";

/** For rules that allow: everything in the call must fit, and be known. Each part of a line may fit another rule. */
export function coveringRule(mode: PermissionMode, allowing: readonly Rule[], call: PermissionCall): Rule | undefined {
  const rules = allowing.filter(({ tool }) => fitsTool(tool, call.tool));
  const unbound = rules.find(({ pattern }) => pattern === undefined);
  if (unbound !== undefined && call.place !== "protected") return unbound;
  if (call.command !== undefined) {
    const mayWrite = (path: LocatedPath): boolean => isWritable(path, mode, allowing, call);
    return ruleForLine(call.command, rules, mayWrite);
  }
  const found = call.paths.map((path) => ruleForPath(path, rules, call));
  return found.every((rule) => rule !== undefined) ? found[0] : undefined;
}

function ruleForPath(path: string, rules: readonly Rule[], { base }: PermissionCall): Rule | undefined {
  return rules.find(({ pattern }) => pattern !== undefined && fitsPath(placePattern(pattern, base), path));
}

function ruleForLine(
  { line, touched }: CommandLine,
  rules: readonly Rule[],
  mayWrite: (path: LocatedPath) => boolean,
): Rule | undefined {
  if (line.kind === "unparsed" || line.commands.length === 0) return undefined;
  const found = line.commands.map((command) => ruleForCommand(command, rules));
  const isKnown = line.redirects.every(({ target }) => target.state === "known");
  const opens = touched.filter(({ by }) => by === "redirect");
  const mayOpen = opens.every((path) => (path.access === "write" ? mayWrite(path) : path.place !== "outside"));
  return isKnown && mayOpen && found.every((rule) => rule !== undefined) ? found[0] : undefined;
}

/** The shell itself writes what `>` names, whatever the command is. */
function isWritable(
  { place, paths }: LocatedPath,
  mode: PermissionMode,
  allowing: readonly Rule[],
  call: PermissionCall,
): boolean {
  if (place === "system") return paths.some((path) => path.startsWith("/dev/")) || call.enclosure === "sandbox";
  if (place === "inside" && (mode === "accept-edits" || mode === "auto")) return true;
  const editing = allowing.filter(({ tool, pattern }) => fitsTool(tool, "Edit") && pattern !== undefined);
  return place !== "outside" && paths.every((path) => ruleForPath(path, editing, call) !== undefined);
}

function ruleForCommand(command: ShellCommand, rules: readonly Rule[]): Rule | undefined {
  const { words, assignments, effect, starts, unseen } = command;
  const isKnown = [...assignments, ...words].every(({ state }) => state !== "unknown") && words[0]?.state === "known";
  if (!isKnown) return undefined;
  const text = commandText(command);
  // Word by word a command may be allowed with all that it starts, and with code of another language; by a star it is not.
  const exact = unseen?.where === "elsewhere" ? undefined : rules.find(({ pattern }) => pattern === text);
  if (exact !== undefined || unseen !== undefined) return exact;
  const found = starts.map((started) => ruleForCommand(started, rules));
  if (found.some((rule) => rule === undefined)) return undefined;
  const own = rules.find(({ pattern }) => pattern !== undefined && fitsCommand(pattern, text));
  // `timeout 5 npm test` does what `npm test` does.
  return own ?? (effect === "same" && assignments.length === 0 ? found[0] : undefined);
}
