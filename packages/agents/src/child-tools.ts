import { MEMORY_TOOL } from "@palimpsest/memory";
import { recallFrom, type Session, type Tool } from "palimpsest";
import type { AgentDefinition } from "./agent-definition.ts";

export interface ToolLimits {
  readonly definition: Pick<AgentDefinition, "tools" | "memory">;
  /** The host's tools that change nothing. */
  readonly readOnlyTools: readonly string[];
}

/** Whether an agent of this kind may use a tool of the host. */
export function isAllowed(name: string, { definition, readOnlyTools }: ToolLimits): boolean {
  const { tools, memory } = definition;
  // A kind with notes of its own can write them, whatever its other limits.
  if (tools === undefined || (memory !== undefined && name === MEMORY_TOOL)) return true;
  return tools === "read-only" ? readOnlyTools.includes(name) : tools.includes(name);
}

/** Adapts the parent's tools for a child: `recall` reads the child's own log. */
export function toolsOfChild(tools: readonly Tool[], child: Pick<Session, "recall">): readonly Tool[] {
  const own = recallFrom(child);
  // Only its behavior differs: its description stays, because it is part of the prompt that a fork shares.
  return tools.map((tool) => (tool.name === own.name ? { ...tool, execute: own.execute } : tool));
}
