import { TOOL_SEARCH, type ToolDefinition } from "../../log/tool-definition.ts";

/**
 * Returns a function that tells whether a tool's old results may be cleared. The user's list of tools to keep comes
 * first, then the tool's own setting. A tool without a setting counts as a read: its results can be produced again, and
 * `recall` returns them in any case.
 */
export function clearableTools(
  tools: readonly ToolDefinition[],
  keptNames: readonly string[],
): (tool: string) => boolean {
  // What a search has brought in is used from then on.
  const kept = new Set([...keptNames, TOOL_SEARCH].map((name) => name.toLowerCase()));
  const declared = new Map(tools.map((tool) => [tool.name, resultsOf(tool)]));
  return (tool) => !kept.has(tool.toLowerCase()) && (declared.get(tool) ?? "clearable") === "clearable";
}

function resultsOf({ results, sideEffects }: ToolDefinition): "clearable" | "kept" {
  return results ?? (sideEffects === "some" ? "kept" : "clearable");
}
