import type { Part } from "../log/block.ts";
import { CALL_TOOL, TOOL_SEARCH } from "../log/tool-definition.ts";
import type { Tool } from "../schema/tool.ts";
import type { Session } from "../session/session.ts";
import { headTools } from "../view/offer-tools.ts";

/** The tools that a session with deferred tools has beside its own; none for other sessions. */
export function toolsForSearch({ view }: Pick<Session, "view">): readonly Tool[] {
  const runs: Readonly<Record<string, (input: unknown) => readonly Part[] | string>> = {
    [TOOL_SEARCH]: view.searchTools,
    // Calls through it are those of the tools that they name; this one names none.
    [CALL_TOOL]: () => `Give the name of a tool that ${TOOL_SEARCH} has loaded, and its input.`,
  };
  const offered = headTools(view.deferredTools().offered, "own").filter(({ name }) => Object.hasOwn(runs, name));
  return offered.map(({ name, description = "", inputSchema: input }) => ({
    name,
    description,
    input,
    concurrency: "safe",
    repeat: "free",
    sideEffects: "none",
    run: runs[name]!,
  }));
}

/** Whether a tool is deferred, and nothing in view has brought it in. */
export function isUnloaded({ view }: Pick<Session, "view">, tool: string): boolean {
  const { offered, loaded } = view.deferredTools();
  return offered.some(({ name }) => name === tool) && !loaded.has(tool);
}
