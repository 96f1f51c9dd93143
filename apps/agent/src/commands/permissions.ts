import { loadSettings } from "../permissions/load-settings.ts";
import { explainCall, listPermissions, removePermission } from "../permissions/review-permissions.ts";
import { openSessionSandbox } from "../permissions/session-sandbox.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Lists the rules, explains what would happen to a call, or removes a rule. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { positionals } = readArguments(args, COMMANDS.permissions);
  const [first = "list", ...rest] = positionals;
  const word = oneOf("permissions", first, COMMANDS.permissions.operands.completes)!;
  const argument = rest.join(" ");
  if (word !== "list" && argument === "")
    throw new UsageError(`palimpsest permissions ${word} needs a ${word === "why" ? "command" : "rule"}.`);
  return inProject(terminal, async ({ folder, places }) => {
    const { settings } = await loadSettings({ guard: await createPathGuard(folder), agentHome: places.agentHome });
    const guard = await createPathGuard(folder, settings.folders);
    const { environment } = terminal;
    const sandbox = await openSessionSandbox({
      settings,
      guard,
      places,
      sessionFolder: places.folderOf("permissions"),
      environment,
    });
    const state = { mode: settings.mode, rules: [...settings.rules], settings, sandbox, guard, places };
    if (word === "list") await terminal.print(listPermissions(state));
    else await terminal.print(await (word === "why" ? explainCall : removePermission)(argument, state));
    return EXIT.done;
  });
}
