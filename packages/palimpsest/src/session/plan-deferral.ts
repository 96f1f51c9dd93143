import type { ToolDefinition } from "../log/tool-definition.ts";

export interface Deferral {
  /** Tools that may be deferred are, if all of them together have more tokens than this. */
  readonly aboveTokens: number;
  readonly countTokens: (tool: ToolDefinition) => number;
  /** The tools so far. */
  readonly before: readonly ToolDefinition[];
}

/**
 * Decides which tools are deferred. The decision stands in the log with them. A session that defers goes on deferring: one tool
 * more or less must not change the beginning of its prompt again and again.
 */
export function planDeferral(
  tools: readonly ToolDefinition[],
  { aboveTokens, countTokens, before }: Deferral,
): readonly ToolDefinition[] {
  const large = tools.filter(({ loading }) => loading === "when-large");
  if (large.length === 0) return tools;
  const isDeferring = before.some(
    ({ name, loading }) => loading === "deferred" && large.some((one) => one.name === name),
  );
  const tokens = large.reduce((sum, tool) => sum + countTokens(tool), 0);
  const isLarge = isDeferring || tokens > aboveTokens;
  return tools.map((tool) => {
    if (tool.loading !== "when-large") return tool;
    const { loading: _, ...rest } = tool;
    return isLarge ? { ...rest, loading: "deferred" } : rest;
  });
}
