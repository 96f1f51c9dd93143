import type { ModelRequest } from "@openai/agents";
import { type FrameworkCall, type ToolParts, toConfiguration } from "palimpsest/adapter-parts";
import type { JsonObject } from "palimpsest/schema";
import type { LiveCall } from "./sessions.ts";

/** Settings that are no part of what is asked, or may have secrets: sent, never logged. */
const UNLOGGED: readonly string[] = ["providerData", "retry", "timeoutMs"];

/** Whether the service holds the conversation: then a request has only what is new, and there is nothing to keep small. */
export function isHeldElsewhere({ previousResponseId, conversationId, prompt }: ModelRequest): boolean {
  return previousResponseId !== undefined || conversationId !== undefined || prompt !== undefined;
}

/** What a request sets beside its list. Handoffs are tools to the model. */
export function readConfiguration({
  tools,
  handoffs,
  modelSettings,
}: LiveCall): FrameworkCall<LiveCall>["configuration"] {
  const logged = Object.fromEntries(Object.entries(modelSettings).filter(([name]) => !UNLOGGED.includes(name)));
  return toConfiguration<object>([...tools, ...handoffs], toolParts, logged);
}

function toolParts(tool: object): ToolParts | undefined {
  const { type, name, description, parameters, toolName, toolDescription, inputJsonSchema } = tool as JsonObject;
  if (toolName !== undefined) return { name: toolName, description: toolDescription, schema: inputJsonSchema };
  return type === "function" ? { name, description, schema: parameters } : undefined;
}
