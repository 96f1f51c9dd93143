import type { Session, Tool } from "palimpsest";
import { toTool } from "../../extension/to-tool.ts";
import type { AgentTool } from "../../extension/tool.ts";
import { decidePermission } from "../../permissions/decide-permission.ts";
import { hiddenPatterns } from "../../permissions/hidden-patterns.ts";
import { loadSettings } from "../../permissions/load-settings.ts";
import { toPermissionCall } from "../../permissions/permission-call.ts";
import { openSessionSandbox } from "../../permissions/session-sandbox.ts";
import { findShell } from "../../sandbox/find-program.ts";
import { commandEnvironment, type Environment } from "../../workspace/command-environment.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import type { Places } from "../../workspace/places.ts";
import { readTool } from "../files/read.ts";
import { encloseSearch } from "../search/enclose-search.ts";
import { globTool } from "../search/glob.ts";
import { grepTool } from "../search/grep.ts";
import { readOnlyShellTool } from "../shell/read-only-shell.ts";

export interface DreamReadOptions {
  /** The folder of the project. */
  readonly folder: string;
  readonly places: Pick<Places, "home" | "agentHome" | "folderOf">;
  readonly environment: Environment;
}

/** The tools with which a dream reads the project. They follow the user's rules, and change nothing. Commands need a sandbox. */
export async function dreamReadTools(
  { folder, places, environment }: DreamReadOptions,
  session: Pick<Session, "id" | "view" | "history">,
): Promise<readonly Tool[]> {
  const guard = await createPathGuard(folder);
  const { home, agentHome } = places;
  const { settings } = await loadSettings({ guard, agentHome });
  const { rules } = settings;
  const hidden = hiddenPatterns(rules, { folder: guard.roots[0]!, home });
  const search = { guard, hidden, startedBy: encloseSearch(guard.roots, environment["PATH"]) };
  const allowed = (tool: AgentTool): AgentTool => ({
    ...tool,
    async run(input, context) {
      const call = await toPermissionCall(tool, input, { guard, home, enclosure: "sandbox" });
      if (decidePermission("auto", rules, call).decision === "allow") return tool.run(input, context);
      return { content: "A rule forbids reading this. Continue without it.", status: "error" };
    },
  });
  const files = { guard, shownReads: () => session.view.filesRead(), states: new Map() };
  const sandbox = await openSessionSandbox({
    // Nobody attends a dream, so its commands reach no host.
    settings: { ...settings, allowedHosts: [] },
    guard,
    places,
    sessionFolder: places.folderOf(session.id),
    environment,
  });
  const shell = { shell: findShell(environment, guard.roots), environment: commandEnvironment(environment) };
  const commands = sandbox.kind === "none" ? [] : [readOnlyShellTool({ sandbox, ...shell })];
  const tools = [readTool(files), globTool(search), grepTool(search), ...commands];
  return tools.map((tool) => toTool(allowed(tool), session, folder));
}
