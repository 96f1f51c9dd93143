import { type FrameworkCall, toConfiguration } from "palimpsest/adapter-parts";
import { asList, asObject, present } from "palimpsest/schema";
import { modelIdOf } from "../provider/chat-model.ts";
import { readTool } from "../provider/read-tool.ts";
import type { ChatModel } from "../provider/wire.ts";
import type { LiveCall } from "./sessions.ts";

/** A request of an agent for its model, as far as it is read here. */
export interface ModelCall {
  readonly tools: readonly object[];
  readonly toolChoice?: unknown;
  readonly modelSettings?: Readonly<Record<string, unknown>>;
}

/** The chat model behind what an agent was given: models by name are made when they are called, others have options bound to them. */
export async function findChatModel(model: unknown): Promise<ChatModel> {
  const { _getModelInstance: make, bound } = asObject(model) ?? {};
  if (typeof make === "function") return findChatModel(await make.call(model));
  return bound === undefined ? (model as ChatModel) : findChatModel(bound);
}

/** Tools and options as the agent's own calls have them. Cache marks are the session's. */
export function toLiveCall({ tools, toolChoice, modelSettings }: ModelCall, model: ChatModel): LiveCall {
  const settings = { ...withoutMark(modelSettings ?? {}), ...present({ tool_choice: toolChoice }) };
  return { id: modelIdOf(model), model, tools, settings };
}

/** Marks of the framework would be one too many. */
export function withoutMark({
  cache_control: _,
  ...settings
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return settings;
}

/** What a request sets beside its messages. Headers may have secrets, and are sent but never logged. */
export function readConfiguration({ tools, settings }: LiveCall): FrameworkCall<LiveCall>["configuration"] {
  const { headers: _, ...logged } = settings;
  return toConfiguration(tools, readTool, logged);
}

/** The messages of what an agent's model call resolves to: one message, or a structured answer with its messages. */
export function messagesOf(result: unknown): readonly unknown[] {
  return asList(asObject(result)?.["messages"]) ?? [result];
}
