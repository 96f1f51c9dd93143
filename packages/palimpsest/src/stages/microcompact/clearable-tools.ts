import type { ToolDefinition } from "../../log/payload.ts";

/** Whether a tool's results may go: as the tool says for itself, or as the list of names has it, however they are written. */
export function clearableTools(
  tools: readonly ToolDefinition[],
  listedNames: readonly string[],
): (tool: string) => boolean {
  const listed = new Set(listedNames.map((name) => name.toLowerCase()));
  const declared = new Map(tools.map(({ name, results }) => [name, results]));
  return (tool) => (declared.get(tool) ?? (listed.has(tool.toLowerCase()) ? "clearable" : "kept")) === "clearable";
}
