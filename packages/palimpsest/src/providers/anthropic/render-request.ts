import type Anthropic from "@anthropic-ai/sdk";
import { asCount, asList, asObject, type JsonObject } from "../../log/json-fields.ts";
import type { ToolDefinition } from "../../log/payload.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { toModelId } from "../models.ts";
import type { RequestParts } from "../provider.ts";
import { withCompactionFirst } from "./render-compaction.ts";
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

  function headOf({ tools, system, parameters, cacheTtl }: RequestParts<AnthropicMessage>): Head {
    const own = asList(parameters["tools"]);
    const known = heads.get(tools);
    if (known?.system === system && known.own === own && known.cacheTtl === cacheTtl) return known;
    const head: Head = { system, own, cacheTtl, fields: renderHead({ tools, system, own: own ?? [], cacheTtl }) };
    heads.set(tools, head);
    return head;
  }

  return (parts) => {
    // This function places the marks. A mark of the caller would be the fifth, or conflict with another lifetime.
    const { cache_control: _, tools: __, thinking, ...parameters } = parts.parameters;
    const fitted = fitThinking(thinking, parts);
    const request = {
      ...parameters,
      ...fitted,
      ...renderEdits(parts, fitted.thinking),
      model: toModelId(parts.model),
      max_tokens: parts.maxTokens,
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
  readonly system: string;
  readonly own: readonly unknown[];
  readonly cacheTtl: Ttl;
}

function renderHead({ tools, system, own, cacheTtl }: HeadParts): Head["fields"] {
  const rendered: JsonObject[] = [...tools.map(renderTool), ...own.map((tool) => withoutMark(asObject(tool) ?? {}))];
  const mark = toMark(cacheTtl);
  const last = rendered.at(-1);
  if (system === "" && last !== undefined) rendered[rendered.length - 1] = { ...last, ...mark };
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

const MINIMUM_THINKING_TOKENS = 1_024;

/**
 * Fits thinking to the request. A thinking budget must be at least 1,024 and smaller than the output limit; a larger
 * one is lowered. Thinking is turned off if the limit leaves no room for it, or if the open turn did not begin with
 * thinking (its setting has changed since, or the thinking was lost): the API would refuse the request.
 */
function fitThinking(
  thinking: unknown,
  { maxTokens, messages }: RequestParts<AnthropicMessage>,
): { thinking?: unknown } {
  const setting = asObject(thinking);
  if (setting === undefined) return {};
  const budget = asCount(setting["budget_tokens"]);
  if (setting["type"] !== "enabled" || budget === undefined) return { thinking };
  if (maxTokens <= MINIMUM_THINKING_TOKENS || openTurnLacksThinking(messages)) return {};
  return { thinking: budget < maxTokens ? setting : { ...setting, budget_tokens: maxTokens - 1 } };
}

function openTurnLacksThinking(messages: readonly AnthropicMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last === undefined || typeof last.content === "string") return false;
  const isOpen = last === messages.at(-1) || last.content.some(({ type }) => type === "tool_use");
  const first = last.content[0]?.type;
  return isOpen && first !== "thinking" && first !== "redacted_thinking";
}
