// Renders messages, requests and cache refreshes for the Messages API.

import type Anthropic from "@anthropic-ai/sdk";
import type { Block, Media, Native, Part, Thinking, ToolCall, ToolResult } from "../../log/block.ts";
import type { ToolDefinition } from "../../log/payload.ts";
import type { ProviderEdits } from "../../log/payload-compaction.ts";
import { asCount, asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import type { FlatMessage } from "../../view/view.ts";
import { base64Text, canBeShown, describeMedia, toArguments } from "../content.ts";
import { toModelId } from "../models.ts";
import type { CompactionRequestOptions, RequestParts } from "../provider.ts";
import { frozenCopy } from "../remember.ts";
import { ANTHROPIC, type AnthropicBlock, type AnthropicMessage, type AnthropicRequest } from "./facts.ts";

/**
 * Creates the function that renders request bodies. Tools and system prompt are rendered once for each tool list,
 * so a request costs one copy of the message array, and one copy of a message for each cache mark.
 */
export function createRequestRenderer({
  cacheDiagnostics,
}: RequestOptions): (parts: RequestParts<AnthropicMessage>) => AnthropicRequest {
  const heads = new WeakMap<readonly ToolDefinition[], Head>();

  function headOf(parts: RequestParts<AnthropicMessage>): Head {
    // The API refuses a one-hour mark after a five-minute mark, so only the first mark may last longer.
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
    // This function places the cache marks. The caller's mark could be a fifth one, or have a conflicting lifetime.
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
    const completed: object = withCompactionFirst(request);
    return completed as AnthropicRequest;
  };
}

interface RequestOptions {
  readonly cacheDiagnostics: "asked" | "off";
}

/** The rendered tools and system prompt, with the values that they were rendered from. */
interface Head {
  readonly system: string;
  /** The provider's tools (search, code execution, ...) from the caller's parameters. */
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

type Ttl = RequestParts<AnthropicMessage>["cacheTtl"];

function renderHead({ tools, deferredTools, system, own, cacheTtl }: HeadParts): Head["fields"] {
  const rendered: JsonObject[] = [...tools.map(renderTool), ...own.map((tool) => withoutMark(asObject(tool) ?? {}))];
  const mark = toMark(cacheTtl);
  const last = rendered.at(-1);
  if (system === "" && last !== undefined) rendered[rendered.length - 1] = { ...last, ...mark };
  // Deferred tools are not part of the cached prompt, so the API refuses marks on them.
  rendered.push(...deferredTools.map((tool) => ({ ...renderTool(tool), defer_loading: true })));
  return frozenCopy({
    ...(rendered.length === 0 ? {} : { tools: rendered }),
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...mark }] }),
  });
}

function renderTool({ name, description, inputSchema }: ToolDefinition): JsonObject {
  // The API accepts only this type.
  const input_schema = { type: "object", ...inputSchema };
  return { name, description, input_schema };
}

function withoutMark({ cache_control: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

function toMark(ttl: Ttl): { cache_control: Anthropic.CacheControlEphemeral } {
  return { cache_control: ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" } };
}

/**
 * Fits the thinking setting to the request. A thinking budget must be at least 1,024 tokens and smaller than the output
 * limit, so a larger budget is lowered. Thinking is turned off if the output limit is too small, or if the open turn
 * did not begin with thinking (the setting has changed, or the thinking was lost): the API would refuse the request.
 */
export function fitThinking(thinking: unknown, { maxTokens, openTurn }: ThinkingRoom): { thinking?: unknown } {
  const setting = asObject(thinking);
  if (setting === undefined) return {};
  const budget = asCount(setting["budget_tokens"]);
  if (setting["type"] !== "enabled" || budget === undefined) return { thinking };
  if (maxTokens <= MINIMUM_THINKING_TOKENS || openTurn === "lacks-thinking") return {};
  return { thinking: budget < maxTokens ? setting : { ...setting, budget_tokens: maxTokens - 1 } };
}

/** The facts of a request that limit its thinking. */
export interface ThinkingRoom {
  readonly maxTokens: number;
  /** Whether the open turn began with thinking. `none`: no turn is open. */
  readonly openTurn: "thinks" | "lacks-thinking" | "none";
}

const MINIMUM_THINKING_TOKENS = 1_024;

function openTurnOf(messages: readonly AnthropicMessage[]): ThinkingRoom["openTurn"] {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last === undefined || typeof last.content === "string") return "none";
  const isOpen = last === messages.at(-1) || last.content.some(({ type }) => type === "tool_use");
  if (!isOpen) return "none";
  const first = last.content[0]?.type;
  return first === "thinking" || first === "redacted_thinking" ? "thinks" : "lacks-thinking";
}

/**
 * Whether our edits may be added. If the parameters already manage the context, they win: a request never has two lists
 * of edits.
 */
export function takesEdits(parameters: Readonly<Record<string, unknown>>): "yes" | "no" {
  return EXCLUDES_EDITS.some((field) => parameters[field] !== undefined && parameters[field] !== null) ? "no" : "yes";
}

/** Fields that the API refuses together with our edits: the caller's own edits, a requested summary, a thread. */
const EXCLUDES_EDITS = ["context_management", "compaction", "thread"] as const;

/** Renders edits as request fields, with their beta. Empty if the request may not ask for edits. */
function renderEdits(
  { edits, parameters }: Pick<RequestParts<AnthropicMessage>, "edits" | "parameters">,
  thinking: unknown,
): { readonly betas?: readonly unknown[]; readonly context_management?: JsonObject } {
  if (edits === undefined || takesEdits(parameters) === "no") return {};
  const betas = [...new Set([...(asList(parameters["betas"]) ?? []), BETA])];
  // The API requires the thinking edit to come first.
  return { betas, context_management: { edits: [...clearThinking(edits, thinking), clearResults(edits)] } };
}

const BETA = "context-management-2025-06-27";

/** Renders the edit that clears thinking. The API refuses this edit in a request without thinking. */
function clearThinking({ thinking: kept }: ProviderEdits, thinking: unknown): JsonObject[] {
  const type = asObject(thinking)?.["type"];
  if (type === undefined || type === "disabled") return [];
  const keep = kept === "all" ? "all" : { type: "thinking_turns", value: kept.turns };
  return [{ type: "clear_thinking_20251015", keep }];
}

function clearResults({ results }: ProviderEdits): JsonObject {
  const { aboveTokens, minimumTokens, keepNewest, keptTools, inputsOf } = results;
  return {
    type: "clear_tool_uses_20250919",
    trigger: { type: "input_tokens", value: aboveTokens },
    keep: { type: "tool_uses", value: keepNewest },
    clear_at_least: { type: "input_tokens", value: minimumTokens },
    ...(keptTools.length === 0 ? {} : { exclude_tools: keptTools }),
    ...(inputsOf.length === 0 ? {} : { clear_tool_inputs: inputsOf }),
  };
}

function markMessages({ messages, marks, cacheTtl }: RequestParts<AnthropicMessage>): AnthropicMessage[] {
  const marked = messages.slice();
  for (const index of marks.slice(-MAXIMUM_MESSAGE_MARKS)) {
    const message = messages[index];
    if (message !== undefined) marked[index] = markMessage(message, cacheTtl);
  }
  return marked;
}

/** The API accepts four cache marks. One of them is at the end of the tools and the system prompt. */
const MAXIMUM_MESSAGE_MARKS = 3;

/** Returns the message with a mark on its last block that can carry one; thinking cannot. */
function markMessage(message: AnthropicMessage, ttl: Ttl): AnthropicMessage {
  if (typeof message.content === "string") return message;
  const position = message.content.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  const block = message.content[position];
  if (block === undefined) return message;
  const content = (message.content as AnthropicBlock[]).with(position, { ...block, ...toMark(ttl) } as AnthropicBlock);
  return { ...message, content } as AnthropicMessage;
}

/** Renders a message, with its content as a list. Empty if the message has no content that can be sent. */
export function renderMessage({ role, blocks }: FlatMessage): readonly AnthropicMessage[] {
  const content = blocks.flatMap(renderBlock);
  return frozenCopy(content.length === 0 ? [] : [{ role, content }]);
}

function renderBlock(block: Block): AnthropicBlock[] {
  if ("native" in block && isOwn(block.native)) return [renderNative(block.native, block)];
  switch (block.kind) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "thinking":
      return renderThinking(block);
    case "tool_call":
      return [renderCall(block)];
    case "tool_result":
      return [renderResult(block)];
    case "image":
    case "document":
      return [renderMedia(block)];
    case "opaque":
      return [];
  }
}

function isOwn(native: Native | undefined): native is Native {
  return native?.provider === ANTHROPIC;
}

/** Returns the block that the service sent. Only the id of a tool call may differ, if two calls had the same id. */
function renderNative({ block: native }: Native, block: Block): AnthropicBlock {
  const id = block.kind === "tool_call" ? { id: block.id } : {};
  return { ...(native as AnthropicBlock), ...id };
}

/** Renders thinking with its signature. The API refuses thinking without one. */
function renderThinking({ provider, text, signature }: Thinking): AnthropicBlock[] {
  return provider === ANTHROPIC && signature !== undefined ? [{ type: "thinking", thinking: text, signature }] : [];
}

function renderCall({ id, name, input }: ToolCall): AnthropicBlock {
  return { type: "tool_use", id, name, input: toArguments(input) };
}

function renderResult({ callId, content, status }: ToolResult): AnthropicBlock {
  const loaded = typeof content === "string" ? [] : content.flatMap(renderReference);
  const parts =
    loaded.length > 0 ? loaded : typeof content === "string" ? renderText(content) : content.flatMap(renderPart);
  return {
    type: "tool_result",
    tool_use_id: callId,
    ...(parts.length === 0 ? {} : { content: parts as Anthropic.ToolResultBlockParam["content"] & object }),
    ...(status === "error" ? { is_error: true } : {}),
  };
}

/** Renders a reference to a deferred tool. The service replaces the reference by the definition of the tool. */
function renderReference(part: Part): Anthropic.ToolReferenceBlockParam[] {
  if (part.kind !== "text" || part.tool === undefined) return [];
  return [{ type: "tool_reference", tool_name: part.tool.name }];
}

function renderPart(part: Part): AnthropicBlock[] {
  return part.kind === "text" && part.text === "" ? [] : renderBlock(part);
}

function renderText(text: string): AnthropicBlock[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function renderMedia(media: Media): AnthropicBlock {
  const { kind, source } = media;
  if (!canBeShown(media)) return { type: "text", text: describeMedia(media) };
  if (source.kind === "url") return { type: kind, source: { type: "url", url: source.url } };
  const { mediaType, data } = source;
  if (kind === "image") {
    const media_type = mediaType as Anthropic.Base64ImageSource["media_type"];
    return { type: "image", source: { type: "base64", media_type, data } };
  }
  if (mediaType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: mediaType, data } };
  const text = base64Text(data);
  return { type: "document", source: { type: "text", media_type: "text/plain", data: text } };
}

/**
 * Renders a request with the same prompt and no answer (`max_tokens: 0`), which refreshes the cache. Undefined if the
 * API would refuse the request: with a thinking budget, an output format, a forced tool call, or a compaction. Removing
 * these fields would change the prompt.
 */
export function renderPing(request: AnthropicRequest): AnthropicRequest | undefined {
  // A ping has no previous request to compare with, so diagnostics are removed.
  const { stream: _, diagnostics: __, ...prompt } = request as AnthropicRequest & Record<string, unknown>;
  const typeOf = (field: string): unknown => asObject(prompt[field])?.["type"];
  const isRefused =
    typeOf("thinking") === "enabled" ||
    ["any", "tool"].includes(String(typeOf("tool_choice"))) ||
    (asObject(prompt["output_config"])?.["format"] ?? undefined) !== undefined ||
    (prompt["compaction"] ?? undefined) !== undefined;
  if (isRefused) return undefined;
  const ping: object = { ...prompt, max_tokens: 0 };
  return ping as AnthropicRequest;
}

// ------------------------------------------------------------------------------------------------ compaction by the service

/**
 * Renders a request to summarize the same conversation; the answer is one signed block. Fields that only shape an
 * answer are removed, because the API refuses them here. Undefined if the caller's own parameters request a compaction:
 * the API would write and bill the summary, then refuse every request with it.
 */
export function renderCompaction(
  request: AnthropicRequest,
  { instructions }: CompactionRequestOptions = {},
): AnthropicRequest | undefined {
  const fields = request as AnthropicRequest & JsonObject;
  if (editsOf(fields).some(isCompaction) || fields["thread"] || fields["compaction"]) return undefined;
  // A compaction request has no previous request to compare with, so diagnostics are removed.
  const { context_management: _, diagnostics: __, stop_sequences: ___, output_format: ____, ...kept } = fields;
  const { tool_choice: choice, output_config: output, ...rest } = kept as JsonObject;
  const { format: _____, ...shape } = asObject(output) ?? {};
  const isForced = ["any", "tool"].includes(String(asObject(choice)?.["type"]));
  const compacting: object = {
    ...rest,
    ...(choice === undefined || isForced ? {} : { tool_choice: choice }),
    ...(Object.keys(shape).length === 0 ? {} : { output_config: shape }),
    compaction: { type: "summarize", instructions },
    betas: withBeta(fields, ON_DEMAND),
  };
  return compacting as AnthropicRequest;
}

/**
 * Adds the beta of the summary at the start of a request: the API accepts the summary only with the beta that produced
 * it. The API refuses a signed summary together with the caller's compaction threshold, so the threshold is removed.
 */
export function withCompactionFirst(request: JsonObject): JsonObject {
  const first = asObject(asList(asObject(asList(request["messages"])?.[0])?.["content"])?.[0]);
  if (first?.["type"] !== "compaction") return request;
  if (asString(first["signature"]) === undefined) return { ...request, betas: withBeta(request, THRESHOLD) };
  const { context_management: management, ...rest } = request;
  const edits = editsOf(request).filter((edit) => !isCompaction(edit));
  return {
    ...rest,
    ...(edits.length === 0 ? {} : { context_management: { ...asObject(management), edits } }),
    betas: withBeta(request, ON_DEMAND),
  };
}

/** The beta of a requested summary, which is signed. */
const ON_DEMAND = "compact-2026-09-04";

/** The beta of a summary that the service wrote at a threshold. */
const THRESHOLD = "compact-2026-01-12";

function editsOf(request: JsonObject): readonly unknown[] {
  return asList(asObject(request["context_management"])?.["edits"]) ?? [];
}

function isCompaction(edit: unknown): boolean {
  return asString(asObject(edit)?.["type"])?.startsWith("compact_") ?? false;
}

function withBeta(request: JsonObject, beta: string): readonly unknown[] {
  return [...new Set([...(asList(request["betas"]) ?? []), beta])];
}
