import type { ToolDefinition } from "../log/payload.ts";
import { isTool, type Tool } from "../schema/tool.ts";
import { definitionOf } from "../tools/tool-schema.ts";

/** The tools of a session that can be run, by their names. Its log holds definitions only. */
export interface KnownTools {
  /** Remembers those that can be run. Returns all as they stand in the request. */
  define(tools: readonly (Tool | ToolDefinition)[]): readonly ToolDefinition[];
  /** The same tools; those that are known, as they can be run. */
  find(definitions: readonly ToolDefinition[]): readonly (Tool | ToolDefinition)[];
  /** For a fork: what it learns is its own. */
  copy(): KnownTools;
}

export function createKnownTools(known: Iterable<Tool> = []): KnownTools {
  const byName = new Map(Array.from(known, (tool) => [tool.name, tool]));
  return {
    define: (tools) =>
      tools.map((one) => {
        if (!isTool(one)) return one;
        byName.set(one.name, one);
        return definitionOf(one);
      }),
    find: (definitions) => definitions.map((one) => byName.get(one.name) ?? one),
    copy: () => createKnownTools(byName.values()),
  };
}
