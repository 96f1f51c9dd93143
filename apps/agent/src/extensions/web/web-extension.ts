import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { WEB_FETCH, webFetchTool } from "./web-fetch.ts";

/** The tool that fetches public web pages, if the user turns it on. */
export function webExtension({
  settings,
  offered,
  permissions,
}: Pick<ExtensionContext, "settings" | "offered" | "permissions">): Extension {
  if (settings.web === "on") return { name: "web", tools: () => [webFetchTool()] };
  if (!offered.some(({ name }) => name === WEB_FETCH)) return { name: "web" };
  // A session that was offered the tool keeps it, since a changed list would invalidate the prompt cache; a rule denies its calls.
  permissions.rules.unshift({ decision: "deny", tool: WEB_FETCH, from: "user" });
  return { name: "web", tools: () => [webFetchTool()] };
}
