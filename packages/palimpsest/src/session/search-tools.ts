import type { Part } from "../log/block.ts";
import type { ToolDefinition } from "../log/tool-definition.ts";
import { asObject, asString, asStrings } from "../schema/json-fields.ts";
import { findTools, type ToolsWanted } from "../tools/find-tools.ts";
import { describeTool } from "../view/offer-tools.ts";

/** The deferred tools of a session. */
export interface DeferredTools {
  readonly offered: readonly ToolDefinition[];
  /** Those that the conversation has brought in, by their names, as they were then. */
  readonly loaded: ReadonlyMap<string, ToolDefinition>;
}

/** The content of a result of `tool_search`: what is found and not loaded yet, or words. */
export function searchTools({ offered, loaded }: DeferredTools, input: unknown): readonly Part[] {
  const found = findTools(offered, readWanted(input));
  if (found.length === 0) return said(`No tool matches. There are: ${offered.map(({ name }) => name).join(", ")}.`);
  const isNew = (tool: ToolDefinition): boolean => JSON.stringify(loaded.get(tool.name)) !== JSON.stringify(tool);
  const fresh = found.filter(isNew);
  if (fresh.length === 0) return said(`Loaded already: ${found.map(({ name }) => name).join(", ")}.`);
  return fresh.map((tool) => ({ kind: "text", text: describeTool(tool), tool }));
}

function readWanted(input: unknown): ToolsWanted {
  const fields = asObject(input);
  return { names: asStrings(fields?.["names"]), query: asString(fields?.["query"]) ?? "" };
}

function said(text: string): readonly Part[] {
  return [{ kind: "text", text }];
}
