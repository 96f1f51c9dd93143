import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension, ToolSession } from "../../extension/extension.ts";
import { hiddenPatterns } from "../../permissions/session-sandbox.ts";
import type { OpenStoredResult } from "../files/stored-results.ts";
import { encloseSearch } from "./enclose-search.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";

interface SearchOptions {
  /** Opens the stored results that a session may read. */
  readonly openResult: (session: ToolSession) => OpenStoredResult;
}

/** Adds the tools that find files and search text. */
export function searchExtension(
  context: Pick<ExtensionContext, "guard" | "folder" | "places" | "permissions" | "environment">,
  { openResult }: SearchOptions,
): Extension {
  const { guard, folder, places, permissions, environment } = context;
  const hidden = hiddenPatterns(permissions.rules, { folder, home: places.home });
  const search = { guard, hidden, startedBy: encloseSearch(guard.roots, environment["PATH"]) };
  return {
    name: "search",
    tools: (session) => [globTool(search), grepTool({ ...search, openResult: openResult(session) })],
  };
}
