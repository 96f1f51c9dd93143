import { MEMORY_TOOL } from "@palimpsest/memory";
import { recallFrom, type Session, type Tool } from "palimpsest";
import type { AgentDefinition } from "./agent-definition.ts";

export interface ToolLimits {
  readonly definition: Pick<AgentDefinition, "tools" | "memory">;
  /** Of the host's tools, those that change nothing. */
  readonly readOnlyTools: readonly string[];
}

/** Whether an agent of this kind may use a tool of the host. */
export function isAllowed(name: string, { definition, readOnlyTools }: ToolLimits): boolean {
  const { tools, memory } = definition;
  // A kind that keeps notes of its own can write them, whatever else it may do.
  if (tools === undefined || (memory !== undefined && name === MEMORY_TOOL)) return true;
  return tools === "read-only" ? readOnlyTools.includes(name) : tools.includes(name);
}

/** The parent's tools for a child: what is brought back from a log is brought back from its own. */
export function toolsOfChild(tools: readonly Tool[], child: Pick<Session, "recall">): readonly Tool[] {
  const own = recallFrom(child);
  // Only what it does is another: its words stay, because they stand in the prompt that a fork shares.
  return tools.map((tool) => (tool.name === own.name ? { ...tool, run: own.run } : tool));
}
