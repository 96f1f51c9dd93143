import type { ToolDefinition } from "../../log/payload.ts";

/**
 * Whether a tool's old results may be cleared. The user's list of tools to keep comes first, then what the tool says for
 * itself. Tools that say nothing are taken for reads: their results can be had again, and `recall` has them in any case.
 */
export function clearableTools(
  tools: readonly ToolDefinition[],
  keptNames: readonly string[],
): (tool: string) => boolean {
  const kept = new Set(keptNames.map((name) => name.toLowerCase()));
  const declared = new Map(tools.map((tool) => [tool.name, resultsOf(tool)]));
  return (tool) => !kept.has(tool.toLowerCase()) && (declared.get(tool) ?? "clearable") === "clearable";
}

function resultsOf({ results, sideEffects }: ToolDefinition): "clearable" | "kept" {
  return results ?? (sideEffects === "some" ? "kept" : "clearable");
}
