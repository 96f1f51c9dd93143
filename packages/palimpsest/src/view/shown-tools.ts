import type { ToolDefinition } from "../log/payload.ts";
import { escapeTags, markData } from "./data-marks.ts";

/** The tools as they are sent: what others say about their own tools is marked, and no text in a schema can write a tag of ours. */
export function shownTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.some(({ provenance }) => provenance !== undefined) ? tools.map(shownTool) : tools;
}

/** One tool as it is sent. */
export function shownTool(tool: ToolDefinition): ToolDefinition {
  const { provenance, description, inputSchema } = tool;
  if (provenance === undefined || provenance.kind === "host") return tool;
  return {
    ...tool,
    ...(description === undefined ? {} : { description: markData(description, provenance) }),
    inputSchema: escaped(inputSchema) as ToolDefinition["inputSchema"],
  };
}

function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapeTags(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [escapeTags(key), escaped(inner)]));
}
