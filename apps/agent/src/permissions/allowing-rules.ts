import type { PermissionCall } from "./permission-call.ts";
import { plainCommands } from "./plain-commands.ts";

/** The narrowest rules that together allow a call like this one: for whoever was not there to be asked. */
export function allowingRules(call: PermissionCall): readonly string[] {
  const network = call.network === "wanted" ? ["Network"] : [];
  if (call.command === undefined) {
    return [...(call.paths.length === 0 ? [call.tool] : call.paths.map((path) => `${call.tool}(${path})`)), ...network];
  }
  const commands = plainCommands(call.command);
  // What the shell expands or redirects fits no pattern: only a rule for all commands allows it.
  if (commands === undefined) return [call.tool, ...network];
  return [...new Set(commands.map((command) => `${call.tool}(${pattern(command)})`)), ...network];
}

/** `npm test -- a` becomes `npm test *`: the program and what it is to do, with whatever follows. */
function pattern(command: string): string {
  const [program = "", action = ""] = command.split(/[ \t]+/);
  const named = /^[a-z][\w:-]*$/i.test(action) ? `${program} ${action}` : program;
  // Stars and quotes in a program's name would mean something else in a pattern.
  return /^[\w./@: -]+$/.test(named) ? `${named} *` : command;
}
