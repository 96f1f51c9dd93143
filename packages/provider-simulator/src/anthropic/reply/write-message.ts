import type { Reply } from "../../script.ts";
import { type Speech, type SpokenCall, type SpokenText, type SpokenThinking, speak } from "../../speak.ts";
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

export interface WritingOptions {
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
export function writeMessage(reply: Reply, request: MessagesRequest, options: WritingOptions): WrittenMessage {
  const maxTokens = request.max_tokens ?? Number.POSITIVE_INFINITY;
  const speech = speak(reply, {
    tokenizer: options.tokenizer,
    maxOutputTokens: Math.min(maxTokens, options.roomTokens),
    thinking: thinks(request, options.model) ? "said" : "left-out",
    stopSequences: request.stop_sequences ?? [],
  });
  const content: Block[] = [];
  let { state } = options;
  for (const words of speech.words) {
    if (words.kind === "thinking") {
      const block = showThinking(words, state, request, options);
      state = afterThinking(state, signatureOf(block));
      content.push(block);
    } else if (arrives(words)) {
      const block = toBlock(words, options.ordinal, content.length);
      state = afterBlock(state, "assistant", options.measures.block(block).digest);
      content.push(block);
    }
  }
  const { outputTokens, thinkingTokens } = speech;
  const cutBy = options.roomTokens < maxTokens ? "model_context_window_exceeded" : "max_tokens";
  return {
    content,
    stopReason: speech.ending === "cut" ? cutBy : STOP_REASONS[speech.stop],
    stopSequence: stopSequenceOf(speech, request),
    outputTokens,
    thinkingTokens,
  };
}

/** A call whose input is incomplete never reaches the caller, nor does text that could not be sent back for being empty. */
function arrives(words: SpokenText | SpokenCall): boolean {
  return words.kind === "text" ? words.text !== "" : words.ending === "complete";
}

/** Models that cannot stop thinking do so unasked. */
export function thinks(request: MessagesRequest, model: AnthropicModel): boolean {
  if (request.thinking !== undefined) return request.thinking.type !== "disabled";
  return !model.thinkingTypes.includes("disabled");
}

function showThinking(
  words: SpokenThinking,
  state: ThinkingState,
  request: MessagesRequest,
  options: WritingOptions,
): Block {
  const display = request.thinking?.display ?? options.model.thinkingDisplay;
  const shown =
    words.display === "redacted"
      ? ({ type: "redacted_thinking" } as const)
      : ({ type: "thinking", text: display === "omitted" ? "" : words.text } as const);
  return mintThinking(shown, words.tokens / options.tokenizer.signatureTokensPerCharacter, state, options);
}

function toBlock(words: SpokenText | SpokenCall, ordinal: number, position: number): Block {
  if (words.kind === "text") return { type: "text", text: words.text, citations: null };
  const id = words.id ?? mintId("toolu", ordinal * 1_000 + position);
  return { type: "tool_use", id, name: words.name, input: words.input, caller: { type: "direct" } };
}

const STOP_REASONS = {
  end: "end_turn",
  "tool-call": "tool_use",
  "output-limit": "max_tokens",
  refusal: "refusal",
  pause: "pause_turn",
  "stop-sequence": "stop_sequence",
} as const;

/** The one that was met; or any, where the script only says that there was one. */
function stopSequenceOf({ stop, stopSequence }: Speech, request: MessagesRequest): string | null {
  return stop === "stop-sequence" ? (stopSequence ?? request.stop_sequences?.[0] ?? null) : null;
}
