import type Anthropic from "@anthropic-ai/sdk";
import type { ToolDefinition } from "../../log/payload.ts";
import { asList, asObject, type JsonObject } from "../../schema/json-fields.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { toModelId } from "../models.ts";
import type { RequestParts } from "../provider.ts";
import { withCompactionFirst } from "./compaction.ts";
import { fitThinking, type ThinkingRoom } from "./fit-thinking.ts";
import { renderEdits } from "./render-edits.ts";
import type { AnthropicBlock, AnthropicMessage, AnthropicRequest } from "./wire.ts";

/** The API accepts four marks. One stands at the end of the part before the messages. */
const MAXIMUM_MESSAGE_MARKS = 3;

export interface RequestOptions {
  readonly cacheDiagnostics: "asked" | "off";
}

/**
 * Renders request bodies. The part before the messages is rendered once for each list of tools. So a request costs one
 * copy of the array of messages, and one copy of a message for each mark.
 */
export function createRequestRenderer({
  cacheDiagnostics,
}: RequestOptions): (parts: RequestParts<AnthropicMessage>) => AnthropicRequest {
  const heads = new WeakMap<readonly ToolDefinition[], Head>();

  function headOf(parts: RequestParts<AnthropicMessage>): Head {
    // A mark of an hour comes before those of five minutes, or the API refuses the request: it is only ever the first.
    const { tools, deferredTools = [], system, parameters, headTtl: cacheTtl = parts.cacheTtl } = parts;
    const own = asList(parameters["tools"]);
    const known = heads.get(tools);
    const isKnown = known?.system === system && known.own === own && known.cacheTtl === cacheTtl;
    if (isKnown && deferredTools.length === 0) return known;
    const fields = renderHead({ tools, deferredTools, system, own: own ?? [], cacheTtl });
    const head: Head = { system, own, cacheTtl, fields };
    heads.set(tools, head);
    return head;
  }

  return (parts) => {
    // This function places the marks. A mark of the caller would be the fifth, or conflict with another lifetime.
    const { cache_control: _, tools: __, thinking, ...parameters } = parts.parameters;
    const { maxTokens, messages } = parts;
    const fitted = fitThinking(thinking, { maxTokens, openTurn: openTurnOf(messages) });
    const request = {
      ...parameters,
      ...fitted,
      ...renderEdits(parts, fitted.thinking),
      model: toModelId(parts.model),
      max_tokens: maxTokens,
      ...headOf(parts).fields,
      messages: markMessages(parts),
      // Sent with every request, as the guide asks, even the first, which has no previous response.
      ...(cacheDiagnostics === "asked"
        ? { diagnostics: { previous_message_id: parts.previousResponseId ?? null } }
        : {}),
    };
    return withCompactionFirst(request) as unknown as AnthropicRequest;
  };
}

type Ttl = RequestParts<AnthropicMessage>["cacheTtl"];

interface Head {
  readonly system: string;
  /** The provider's own tools (search, code execution, ...) from the caller's parameters. */
  readonly own: readonly unknown[] | undefined;
  readonly cacheTtl: Ttl;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface HeadParts {
  readonly tools: readonly ToolDefinition[];
  readonly deferredTools: readonly ToolDefinition[];
  readonly system: string;
  readonly own: readonly unknown[];
  readonly cacheTtl: Ttl;
}

function renderHead({ tools, deferredTools, system, own, cacheTtl }: HeadParts): Head["fields"] {
  const rendered: JsonObject[] = [...tools.map(renderTool), ...own.map((tool) => withoutMark(asObject(tool) ?? {}))];
  const mark = toMark(cacheTtl);
  const last = rendered.at(-1);
  if (system === "" && last !== undefined) rendered[rendered.length - 1] = { ...last, ...mark };
  // The API refuses a mark on a deferred tool: it is not part of the cached prompt.
  rendered.push(...deferredTools.map((tool) => ({ ...renderTool(tool), defer_loading: true })));
  return frozenCopy({
    ...(rendered.length === 0 ? {} : { tools: rendered }),
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...mark }] }),
  });
}

function renderTool({ name, description, inputSchema }: ToolDefinition): JsonObject {
  // The API requires this type and accepts no other.
  const input_schema = { type: "object", ...inputSchema };
  return { name, ...(description === undefined ? {} : { description }), input_schema };
}

function withoutMark({ cache_control: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

function toMark(ttl: Ttl): { cache_control: Anthropic.CacheControlEphemeral } {
  return { cache_control: ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" } };
}

function markMessages({ messages, marks, cacheTtl }: RequestParts<AnthropicMessage>): AnthropicMessage[] {
  const marked = messages.slice();
  for (const index of marks.slice(-MAXIMUM_MESSAGE_MARKS)) {
    const message = messages[index];
    if (message !== undefined) marked[index] = markMessage(message, cacheTtl);
  }
  return marked;
}

/** Returns the message with a mark on its last block that can carry one; thinking cannot. */
function markMessage(message: AnthropicMessage, ttl: Ttl): AnthropicMessage {
  if (typeof message.content === "string") return message;
  const position = message.content.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  const block = message.content[position];
  if (block === undefined) return message;
  const content = (message.content as AnthropicBlock[]).with(position, { ...block, ...toMark(ttl) } as AnthropicBlock);
  return { ...message, content } as AnthropicMessage;
}

function openTurnOf(messages: readonly AnthropicMessage[]): ThinkingRoom["openTurn"] {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last === undefined || typeof last.content === "string") return "none";
  const isOpen = last === messages.at(-1) || last.content.some(({ type }) => type === "tool_use");
  if (!isOpen) return "none";
  const first = last.content[0]?.type;
  return first === "thinking" || first === "redacted_thinking" ? "thinks" : "lacks-thinking";
}
