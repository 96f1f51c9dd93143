// Reads the configuration of a session from a request.

import type { ModelRequest } from "@openai/agents";
import { type FrameworkCall, type ToolParts, toConfiguration } from "palimpsest/adapter-parts";
import type { JsonObject } from "palimpsest/schema";
import type { LiveCall } from "./sessions.ts";

/** Whether the service stores the conversation. Such a request has only new items, so there is nothing to compact. */
export function hasServerHistory({ previousResponseId, conversationId, prompt }: ModelRequest): boolean {
  return previousResponseId !== undefined || conversationId !== undefined || prompt !== undefined;
}

/** Reads the configuration of a session from a request. The model sees handoffs as tools. */
export function readConfiguration({
  tools,
  handoffs,
  modelSettings,
}: LiveCall): FrameworkCall<LiveCall>["configuration"] {
  const logged = Object.fromEntries(Object.entries(modelSettings).filter(([name]) => !UNLOGGED.includes(name)));
  return toConfiguration<object>([...tools, ...handoffs], toolParts, logged);
}

/** Settings that do not change the prompt or may contain secrets. They are sent but never logged. */
const UNLOGGED: readonly string[] = ["providerData", "retry", "timeoutMs"];

function toolParts(tool: object): ToolParts | undefined {
  const { type, name, description, parameters, toolName, toolDescription, inputJsonSchema } = tool as JsonObject;
  if (toolName !== undefined) return { name: toolName, description: toolDescription, schema: inputJsonSchema };
  return type === "function" ? { name, description, schema: parameters } : undefined;
}
