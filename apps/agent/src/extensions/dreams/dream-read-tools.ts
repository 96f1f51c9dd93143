import type { Session, Tool } from "palimpsest";
import { toTool } from "../../extension/to-tool.ts";
import type { AgentTool } from "../../extension/tool.ts";
import { decidePermission } from "../../permissions/decide-permission.ts";
import { hiddenPatterns } from "../../permissions/hidden-patterns.ts";
import { loadSettings } from "../../permissions/load-settings.ts";
import { toPermissionCall } from "../../permissions/permission-call.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import type { Places } from "../../workspace/places.ts";
import { readTool } from "../files/read.ts";
import { encloseSearch } from "../search/enclose-search.ts";
import { globTool } from "../search/glob.ts";
import { grepTool } from "../search/grep.ts";

export interface DreamReadOptions {
  /** The folder of the project. */
  readonly folder: string;
  readonly places: Pick<Places, "home" | "agentHome">;
  /** Where programs are. */
  readonly path: string | undefined;
}

/** The tools with which a dream reads the project. They follow the user's rules, and change nothing. */
export async function dreamReadTools(
  { folder, places, path }: DreamReadOptions,
  session: Pick<Session, "view" | "history">,
): Promise<readonly Tool[]> {
  const guard = await createPathGuard(folder);
  const { home, agentHome } = places;
  const { rules } = (await loadSettings({ guard, agentHome })).settings;
  const hidden = hiddenPatterns(rules, { folder: guard.roots[0]!, home });
  const search = { guard, hidden, startedBy: encloseSearch(guard.roots, path) };
  const allowed = (tool: AgentTool): AgentTool => ({
    ...tool,
    async run(input, context) {
      const call = await toPermissionCall(tool, input, { guard, home });
      if (decidePermission("default", rules, call).decision === "allow") return tool.run(input, context);
      return { content: "A rule forbids reading this. Continue without it.", status: "error" };
    },
  });
  const files = { guard, shownReads: () => session.view.filesRead(), states: new Map() };
  return [readTool(files), globTool(search), grepTool(search)].map((tool) => toTool(allowed(tool), session, folder));
}
