import type { Reply, Words } from "../../script.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import type { AnthropicModel } from "../models.ts";
import { mintId } from "../problem.ts";
import type { Measures } from "../prompt/measure.ts";
import { mintThinking, signatureOf } from "../prompt/thinking.ts";
import { afterBlock, afterThinking, type ThinkingState } from "../prompt/thinking-state.ts";
import type { Block, MessagesRequest } from "../request.ts";

export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "compaction"
  | "model_context_window_exceeded";

export interface WrittenMessage {
  readonly content: readonly Block[];
  readonly stopReason: StopReason;
  readonly stopSequence: string | null;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}

export interface WritingTerms {
  readonly model: AnthropicModel;
  readonly account: string;
  readonly tokenizer: Tokenizer;
  readonly measures: Measures;
  /** Where thinking begins to be bound. */
  readonly state: ThinkingState;
  /** What is left of the window for output. */
  readonly roomTokens: number;
  /** Makes tool call ids unique across answers. */
  readonly ordinal: number;
}

/** Turns the scripted words into content blocks, cut where a stop sequence stands, or `max_tokens` or the window ends. */
export function writeMessage(reply: Reply, request: MessagesRequest, terms: WritingTerms): WrittenMessage {
  const maxTokens = request.max_tokens ?? Number.POSITIVE_INFINITY;
  const limit = Math.min(maxTokens, terms.roomTokens);
  const content: Block[] = [];
  let { state } = terms;
  let outputTokens = 0;
  let thinkingTokens = 0;
  let ended: { stopReason: StopReason; stopSequence: string | null } | undefined;
  for (const words of reply.words) {
    if (words.kind === "thinking" && !thinks(request, terms.model)) continue;
    const stop = findStop(words, request.stop_sequences);
    const spoken = stop === undefined ? words : stop.before;
    const full = wordsTokens(spoken, terms.tokenizer);
    const left = limit - outputTokens;
    const said = full > left ? cutWords(spoken, left / full) : spoken;
    const tokens = Math.min(full, Math.max(0, left));
    outputTokens += tokens;
    if (said?.kind === "thinking") {
      thinkingTokens += tokens;
      const block = showThinking(said, tokens, state, request, terms);
      state = afterThinking(state, signatureOf(block));
      content.push(block);
    } else if (said !== undefined) {
      const block = toBlock(said, terms.ordinal, content.length);
      state = afterBlock(state, "assistant", terms.measures.block(block).digest);
      content.push(block);
    }
    if (full > left) {
      const stopReason = terms.roomTokens < maxTokens ? "model_context_window_exceeded" : "max_tokens";
      ended = { stopReason, stopSequence: null };
    } else if (stop !== undefined) {
      ended = { stopReason: "stop_sequence", stopSequence: stop.sequence };
    }
    if (ended !== undefined) break;
  }
  return { content, ...(ended ?? endOf(reply, request, content)), outputTokens, thinkingTokens };
}

/** The first stop sequence in text, and what is said before it. */
function findStop(words: Words, sequences: readonly string[] = []): { before: Words; sequence: string } | undefined {
  if (words.kind !== "text") return undefined;
  let first: { before: Words; sequence: string } | undefined;
  let firstIndex = Number.POSITIVE_INFINITY;
  for (const sequence of sequences) {
    const index = sequence === "" ? -1 : words.text.indexOf(sequence);
    if (index < 0 || index >= firstIndex) continue;
    firstIndex = index;
    first = { before: { ...words, text: words.text.slice(0, index) }, sequence };
  }
  return first;
}

/** Models that cannot stop thinking do so unasked. */
function thinks(request: MessagesRequest, model: AnthropicModel): boolean {
  if (request.thinking !== undefined) return request.thinking.type !== "disabled";
  return !model.thinkingTypes.includes("disabled");
}

function showThinking(
  words: Extract<Words, { kind: "thinking" }>,
  tokens: number,
  state: ThinkingState,
  request: MessagesRequest,
  terms: WritingTerms,
): Block {
  const display = request.thinking?.display ?? terms.model.thinkingDisplay;
  const shown =
    words.display === "redacted"
      ? ({ type: "redacted_thinking" } as const)
      : ({ type: "thinking", text: display === "omitted" ? "" : words.text } as const);
  return mintThinking(shown, tokens / terms.tokenizer.signatureTokensPerCharacter, state, terms);
}

function toBlock(words: Exclude<Words, { kind: "thinking" }>, ordinal: number, position: number): Block {
  if (words.kind === "text") return { type: "text", text: words.text, citations: null };
  const id = words.id ?? mintId("toolu", ordinal * 1_000 + position);
  return { type: "tool_use", id, name: words.name, input: words.input, caller: { type: "direct" } };
}

export function wordsTokens(words: Words, tokenizer: Tokenizer): number {
  if (words.kind !== "tool-call") return tokenizer.countText(words.text);
  return tokenizer.countText(`${words.name}${words.rawInput ?? JSON.stringify(words.input)}`);
}

/** What is left of words when only a share of them fits. A call whose input is incomplete never reaches the caller. */
function cutWords(words: Words, share: number): Words | undefined {
  if (words.kind === "tool-call" || share <= 0) return undefined;
  const end = Math.floor(words.text.length * share);
  const splitsPair = /[\uD800-\uDBFF]$/.test(words.text.slice(0, end));
  const text = words.text.slice(0, splitsPair ? end - 1 : end);
  return text === "" && words.kind === "text" ? undefined : { ...words, text };
}

const STOP_REASONS = {
  end: "end_turn",
  "tool-call": "tool_use",
  "output-limit": "max_tokens",
  refusal: "refusal",
  pause: "pause_turn",
  "stop-sequence": "stop_sequence",
} as const;

function endOf(
  reply: Reply,
  request: MessagesRequest,
  content: readonly Block[],
): { stopReason: StopReason; stopSequence: string | null } {
  if (reply.stop !== undefined) {
    const stopSequence = reply.stop === "stop-sequence" ? (request.stop_sequences?.[0] ?? null) : null;
    return { stopReason: STOP_REASONS[reply.stop], stopSequence };
  }
  const stopReason = content.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
  return { stopReason, stopSequence: null };
}
