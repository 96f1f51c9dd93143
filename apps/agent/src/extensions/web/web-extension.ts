import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { WEB_FETCH, webFetchTool } from "./web-fetch.ts";

/** Pages of the public internet, where the user wants that. */
export function webExtension({
  settings,
  offered,
  permissions,
}: Pick<ExtensionContext, "settings" | "offered" | "permissions">): Extension {
  if (settings.web === "on") return { name: "web", tools: () => [webFetchTool()] };
  if (!offered.some(({ name }) => name === WEB_FETCH)) return { name: "web" };
  // Once it is in the list it stays there, because a shorter list would cost the whole cache; then it is not allowed.
  permissions.rules.unshift({ decision: "deny", tool: WEB_FETCH, from: "user" });
  return { name: "web", tools: () => [webFetchTool()] };
}
