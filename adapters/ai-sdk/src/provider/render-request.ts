// Renders calls of a language model, with cache marks.

import type { LanguageModelV4FunctionTool, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ToolDefinition } from "palimpsest";
import { type RequestParts, rememberTools } from "palimpsest/provider-parts";
import { asObject, present } from "palimpsest/schema";
import type { AiSdkMessage, AiSdkRequest } from "./wire.ts";

type Ttl = RequestParts<AiSdkMessage>["cacheTtl"];

export interface RequestOptions {
  readonly cacheMark: (ttl: Ttl) => SharedV4ProviderOptions;
}

/** The marks of the providers that need them. Each provider ignores the options of the others. */
export function usualMark(ttl: Ttl): SharedV4ProviderOptions {
  const lasting = ttl === "1h" ? { ttl } : {};
  return {
    anthropic: { cacheControl: { type: "ephemeral", ...lasting } },
    bedrock: { cachePoint: { type: "default", ...lasting } },
  };
}

/** Creates the function that renders calls. Each call has the whole conversation, so services need not store it. */
export function createRequestRenderer({
  cacheMark,
}: RequestOptions): (parts: RequestParts<AiSdkMessage>) => AiSdkRequest {
  const toolsOf = rememberTools(renderTool);
  const named = new WeakMap<AiSdkMessage, AiSdkMessage>();

  function withNames(messages: readonly AiSdkMessage[]): AiSdkMessage[] {
    const names = new Map<string, string>();
    return messages.map((message) => {
      if (message.role === "assistant") noteNames(message, names);
      if (message.role !== "tool") return message;
      const known = named.get(message) ?? nameResults(message, names);
      named.set(message, known);
      return known;
    });
  }

  return ({ model, system, tools, parameters, messages, marks, cacheTtl, headTtl, maxTokens, session }) => {
    const { tools: _, providerOptions, maxOutputTokens: __, ...rest } = parameters;
    const rendered = toolsOf(tools, parameters);
    const mark = cacheMark(cacheTtl);
    const prompt = withNames(messages);
    for (const index of marks.slice(-MAXIMUM_MESSAGE_MARKS)) {
      if (prompt[index] !== undefined) prompt[index] = withOptions(prompt[index], mark);
    }
    if (system !== "") prompt.unshift(withOptions({ role: "system", content: system }, cacheMark(headTtl ?? cacheTtl)));
    return {
      ...rest,
      model,
      prompt,
      maxOutputTokens: Math.max(1, maxTokens),
      ...(rendered.length === 0 ? {} : { tools: rendered as NonNullable<AiSdkRequest["tools"]> }),
      providerOptions: mergeOptions(
        usualOptions(session),
        asObject(providerOptions) as SharedV4ProviderOptions | undefined,
      ),
    };
  };
}

/** The number of marks in the messages. Services accept four marks, and one marks the end of the system prompt and tools. */
const MAXIMUM_MESSAGE_MARKS = 3;
const MAXIMUM_CACHE_KEY_LENGTH = 64;

/**
 * Options that keep the requests of one session alike. The options of a call win. Without them, the provider for Anthropic
 * describes tools differently when it streams. A session that streams only sometimes would then lose its prompt cache, and the
 * thinking that depends on it.
 */
function usualOptions(session: string): SharedV4ProviderOptions {
  return {
    anthropic: { toolStreaming: false },
    openai: { store: false, promptCacheKey: session.slice(-MAXIMUM_CACHE_KEY_LENGTH) },
  };
}

function renderTool({ name, description, inputSchema }: ToolDefinition): LanguageModelV4FunctionTool {
  const schema = { type: "object", ...inputSchema } as LanguageModelV4FunctionTool["inputSchema"];
  return { type: "function", name, ...present({ description }), inputSchema: schema };
}

/** Merges the options of several providers. If both objects have a field, the second one wins. */
function mergeOptions(
  one: SharedV4ProviderOptions,
  other: SharedV4ProviderOptions | undefined,
): SharedV4ProviderOptions {
  const merged = { ...one };
  for (const [provider, fields] of Object.entries(other ?? {})) merged[provider] = { ...merged[provider], ...fields };
  return merged;
}

function withOptions(message: AiSdkMessage, options: SharedV4ProviderOptions): AiSdkMessage {
  return { ...message, providerOptions: mergeOptions(message.providerOptions ?? {}, options) };
}

function noteNames({ content }: Extract<AiSdkMessage, { role: "assistant" }>, names: Map<string, string>): void {
  for (const part of content) if (part.type === "tool-call") names.set(part.toolCallId, part.toolName);
}

/** Adds the names of tools to results, because some services need them. */
function nameResults(
  message: Extract<AiSdkMessage, { role: "tool" }>,
  names: ReadonlyMap<string, string>,
): AiSdkMessage {
  const content = message.content.map((part) =>
    part.type === "tool-result" ? { ...part, toolName: names.get(part.toolCallId) ?? "unknown" } : part,
  );
  return Object.freeze({ ...message, content });
}
