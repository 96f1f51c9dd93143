import { mayFitGlob } from "./glob.ts";
import { fitsPath, placePattern } from "./path-pattern.ts";
import type { CommandLine, PermissionCall } from "./permission-call.ts";
import { fitsCommand, fitsTool, type Rule } from "./rule.ts";
import { commandForms } from "./shell/command-forms.ts";
import { allCommands } from "./shell/shell-line.ts";

/** Whether a rule that forbids or asks holds for a call. `perhaps`: a part of the line is not known before it runs. */
export type Concern = { readonly kind: "yes" | "no" } | { readonly kind: "perhaps"; readonly why: string };

const YES: Concern = { kind: "yes" };
const NO: Concern = { kind: "no" };

/** For rules that forbid or ask: anything in the call that fits is enough. */
export function concernsCall({ tool, pattern }: Rule, call: PermissionCall): Concern {
  const { command, base } = call;
  if (pattern === undefined) return fitsTool(tool, call.tool) ? YES : NO;
  const placed = placePattern(pattern, base);
  if (command === undefined) {
    return fitsTool(tool, call.tool) && call.paths.some((path) => fitsPath(placed, path)) ? YES : NO;
  }
  // A rule for files holds for those that a line names, too.
  const isTouched = command.touched.some(
    ({ paths, access }) =>
      fitsTool(tool, access === "write" ? "Edit" : "Read") && paths.some((path) => fitsPath(placed, path)),
  );
  if (isTouched) return YES;
  return fitsTool(tool, call.tool) ? concernsLine(pattern, command) : NO;
}

function concernsLine(pattern: string, { text, line }: CommandLine): Concern {
  if (fitsCommand(pattern, text.trim())) return YES;
  if (line.kind === "unparsed") return { kind: "perhaps", why: line.problem };
  const commands = allCommands(line.commands);
  const forms = commands.flatMap(commandForms);
  if (forms.some((form) => fitsCommand(pattern, form.text))) return YES;
  const unseen = commands.find((command) => command.unseen !== undefined)?.unseen;
  if (unseen !== undefined) return { kind: "perhaps", why: unseen.why };
  const open = forms.find((form) => form.beginning !== form.text && mayFitGlob(pattern, form.beginning, "text"));
  return open === undefined ? NO : { kind: "perhaps", why: `what "${open.text}" becomes is not known before it runs` };
}
