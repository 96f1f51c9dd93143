// Reads the model, the tools and the settings from an agent's request.

import { type FrameworkCall, toConfiguration } from "palimpsest/adapter-parts";
import { asList, asObject, present } from "palimpsest/schema";
import { modelIdOf } from "../provider/chat-model.ts";
import { readTool } from "../provider/read-tool.ts";
import type { ChatModel } from "../provider/wire.ts";
import type { LiveCall } from "./sessions.ts";

/** The parts of an agent's model request that this file reads. */
export interface ModelCall {
  readonly tools: readonly object[];
  readonly toolChoice?: unknown;
  readonly modelSettings?: Readonly<Record<string, unknown>>;
}

/** Finds the chat model of an agent. A model given by name is created on demand, and a model can be wrapped with bound options. */
export async function findChatModel(model: unknown): Promise<ChatModel> {
  const { _getModelInstance: make, bound } = asObject(model) ?? {};
  if (typeof make === "function") return findChatModel(await make.call(model));
  return bound === undefined ? (model as ChatModel) : findChatModel(bound);
}

/** Reads the tools and options of the agent's call, without cache marks, because the session sets them. */
export function toLiveCall({ tools, toolChoice, modelSettings }: ModelCall, model: ChatModel): LiveCall {
  const settings = { ...withoutMark(modelSettings ?? {}), ...present({ tool_choice: toolChoice }) };
  return { id: modelIdOf(model), model, tools, settings };
}

/** Removes the framework's cache mark, which would exceed the limit of marks. */
export function withoutMark({
  cache_control: _,
  ...settings
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return settings;
}

/** Reads the configuration of a session from a request. Headers may contain secrets, so they are sent but never logged. */
export function readConfiguration({ tools, settings }: LiveCall): FrameworkCall<LiveCall>["configuration"] {
  const { headers: _, ...logged } = settings;
  return toConfiguration(tools, readTool, logged);
}

/** Returns the messages of a result: the result is one message, or a structured answer with its messages. */
export function messagesOf(result: unknown): readonly unknown[] {
  return asList(asObject(result)?.["messages"]) ?? [result];
}
