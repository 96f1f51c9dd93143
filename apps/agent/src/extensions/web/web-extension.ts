import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import { webFetchTool } from "./web-fetch.ts";
import { chooseSearch, webSearchTool } from "./web-search.ts";

type WebContext = Pick<ExtensionContext, "settings" | "environment" | "offered" | "permissions">;

/** Adds the web tools: WebFetch if the user turns it on, and WebSearch if the user has a search service. */
export function webExtension(context: WebContext): Extension {
  const { settings, environment } = context;
  const search = chooseSearch(settings.search, environment);
  const tools = [
    ...inUse(context, webFetchTool(), settings.web),
    ...inUse(
      context,
      webSearchTool(search.kind === "chosen" ? search : undefined),
      search.kind === "chosen" ? "on" : "off",
    ),
  ];
  return { name: "web", tools: () => tools, ...(search.kind === "problem" ? { problems: [search.text] } : {}) };
}

/**
 * Keeps a tool that the session has used before, because a changed list would invalidate the prompt cache. A rule
 * denies calls to a tool that is off.
 */
function inUse({ offered, permissions }: WebContext, tool: AgentTool, state: "on" | "off"): readonly AgentTool[] {
  if (state === "on") return [tool];
  if (!offered.some(({ name }) => name === tool.name)) return [];
  permissions.rules.unshift({ decision: "deny", tool: tool.name, from: "user" });
  return [tool];
}
