import { type Accepted, accept } from "../../accept.ts";
import { asArray, isObject, type JsonObject } from "../../json.ts";
import type { CachingOptions } from "../../plan-cache.ts";
import { type RenderedPrompt, renderPrompt, textBlock, toolBlock } from "../../prompt.ts";
import type { PromptCache } from "../../prompt-cache.ts";
import { rememberFrozen } from "../../remember-frozen.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import { readCachingOptions } from "../caching-options.ts";
import { dropFromFront } from "../drop-from-front.ts";
import type { OpenAiModel } from "../models.ts";
import { invalidRequest, type Problem, unsupportedParameter } from "../problem.ts";
import { fingerprintSettings } from "./cache-diagnostics.ts";
import { checkResponsesRequest, type ResponsesEndpoint } from "./check-request.ts";
import { checkItem, createItemReader, type ReadItem } from "./items.ts";
import { checkCallPairs, checkDuplicateIds, checkReasoningPairs, checkTriggerLast } from "./pairs.ts";
import { type Fingerprint, itemNotFound, previousResponseNotFound, ResponsesMemory } from "./responses-memory.ts";

/** A valid request with everything known about it before the model speaks. */
export interface MeasuredRequest {
  readonly kind: "measured";
  readonly request: JsonObject;
  readonly model: OpenAiModel;
  readonly caching: CachingOptions;
  /** The whole conversation, what was stored before included. */
  readonly items: readonly ReadItem[];
  readonly prompt: RenderedPrompt;
  readonly fingerprint: Fingerprint;
  readonly accepted: Accepted;
  /** What the service remembers for the caller's account. */
  readonly memory: ResponsesMemory;
}

export type Measuring =
  | MeasuredRequest
  | { readonly kind: "problem"; readonly problem: Problem }
  /** Kept apart from other problems: it can also arrive inside a stream. */
  | {
      readonly kind: "overflow";
      readonly problem: Problem;
      readonly request: JsonObject;
      readonly model: OpenAiModel;
      readonly caching: CachingOptions;
    };

export interface MeterOptions {
  readonly tokenizer: Tokenizer;
  readonly models: Readonly<Record<string, OpenAiModel>>;
  readonly cache: PromptCache;
}

export interface ResponsesMeter {
  readonly read: (item: unknown) => ReadItem;
  measure(request: unknown, endpoint: ResponsesEndpoint, account: string): Measuring;
}

export function createResponsesMeter({ tokenizer, models, cache }: MeterOptions): ResponsesMeter {
  const read = createItemReader(tokenizer);
  const readTool = rememberFrozen((tool: object) => toolBlock(tool, tokenizer));
  const memories = new Map<string, ResponsesMemory>();

  function memoryOf(account: string): ResponsesMemory {
    const memory = memories.get(account) ?? new ResponsesMemory();
    memories.set(account, memory);
    return memory;
  }

  function measure(body: unknown, endpoint: ResponsesEndpoint, account: string): Measuring {
    const checked = checkResponsesRequest(body, { endpoint, models });
    if (checked.kind === "problem") return checked;
    const { request, model } = checked;
    const memory = memoryOf(account);
    const gathered = gather(request, read, memory);
    if (gathered.kind === "problem") return gathered;
    const { items } = gathered;
    const problem = checkDuplicateIds(items) ?? checkCallPairs(items) ?? checkReasoningPairs(items, memory);
    if (problem !== undefined) return { kind: "problem", problem };

    const settings = fingerprintSettings(request);
    const { tools_changed: _, ...mixed } = settings;
    const instructions = request["instructions"];
    const head = [
      ...promptTools(request["tools"]).map(readTool),
      ...(typeof instructions === "string" ? [textBlock("instructions", instructions, tokenizer)] : []),
    ];
    const render = (entries: readonly ReadItem[]): RenderedPrompt =>
      renderPrompt({ settings: [account, mixed], head, entries });

    let entries = afterCompaction(items);
    let prompt = render(entries);
    if (prompt.marks.length > 0 && model.cache.kind !== "breakpoints") {
      return { kind: "problem", problem: unsupportedParameter("prompt_cache_breakpoint") };
    }
    const caching = readCachingOptions(request);
    const excessTokens = prompt.prefix.tokens - model.maxInputTokens;
    if (excessTokens > 0 && endpoint !== "count") {
      const kept = request["truncation"] === "auto" ? dropFromFront(entries, excessTokens) : undefined;
      if (kept === undefined) return { kind: "overflow", problem: contextExceeded(), request, model, caching };
      entries = kept;
      prompt = render(entries);
    }
    const compacted = entries.some(({ type }) => type === "compaction") ? "compacted" : "whole";
    return {
      kind: "measured",
      request,
      model,
      caching,
      items,
      prompt,
      fingerprint: { settings, prefix: prompt.prefix, compacted },
      accepted: accept({ model, prompt, caching, cache }),
      memory,
    };
  }

  return { read, measure };
}

/** The tools in the prompt: a deferred one is not there until a search brings it into the conversation. */
function promptTools(tools: unknown): readonly object[] {
  return (asArray(tools) as readonly JsonObject[]).filter((tool) => tool["defer_loading"] !== true);
}

type Gathered = { kind: "gathered"; items: readonly ReadItem[] } | { kind: "problem"; problem: Problem };

/** The items of the request, references resolved, behind those of the response it continues. */
function gather(request: JsonObject, read: (item: unknown) => ReadItem, memory: ResponsesMemory): Gathered {
  const input = request["input"];
  const raw = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : asArray(input);
  const own: ReadItem[] = [];
  for (const [index, each] of raw.entries()) {
    const item = read(each);
    if (item.condition === "faulty") return { kind: "problem", problem: checkItem(each, `input[${index}]`)! };
    const resolved = resolve(item, memory);
    if (resolved.kind === "problem") return resolved;
    own.push(resolved.item);
  }
  const misplaced = checkTriggerLast(own);
  if (misplaced !== undefined) return { kind: "problem", problem: misplaced };

  const conversation = request["conversation"];
  if (conversation !== undefined && conversation !== null) {
    const id = isObject(conversation) ? conversation["id"] : conversation;
    // Stored conversations are not simulated, so that none is ever found.
    const problem = invalidRequest(`Conversation with id '${String(id)}' not found.`, {
      status: 404,
      param: "conversation",
    });
    return { kind: "problem", problem };
  }
  const previousId = request["previous_response_id"];
  if (typeof previousId !== "string") return { kind: "gathered", items: own };
  const previous = memory.conversationOf(previousId);
  if (previous === undefined) return { kind: "problem", problem: previousResponseNotFound(previousId) };
  return { kind: "gathered", items: [...previous, ...own] };
}

/** References, and reasoning without its sealed content, stand for what the service has stored under their id. */
function resolve(
  item: ReadItem,
  memory: ResponsesMemory,
): { kind: "item"; item: ReadItem } | { kind: "problem"; problem: Problem } {
  const refers = item.type === "item_reference" || (item.type === "reasoning" && item.sealedId === undefined);
  if (!refers || item.id === undefined) return { kind: "item", item };
  const minted = memory.minted(item.id);
  if (minted?.stored !== undefined) {
    const { sealedId: _, ...stored } = minted.stored;
    return { kind: "item", item: item.type === "item_reference" ? minted.stored : stored };
  }
  return { kind: "problem", problem: itemNotFound(item.id, minted === undefined ? "unknown" : "not-stored") };
}

/**
 * A compaction item replaces what came before it, except what the user said: `/responses/compact` returns all user
 * messages and one such item, and a client "can drop" the rest itself (compaction guide). That the service skips the
 * rest where a client keeps it is our reading.
 */
export function afterCompaction(items: readonly ReadItem[]): readonly ReadItem[] {
  const last = items.findLastIndex(({ type }) => type === "compaction");
  if (last < 0) return items;
  return items.filter(({ speaker }, index) => index >= last || speaker === "user" || speaker === "instructions");
}

/** dyad#1672, the-open-agent#2344. */
function contextExceeded(): Problem {
  const message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
  return invalidRequest(message, { param: "input", code: "context_length_exceeded" });
}
