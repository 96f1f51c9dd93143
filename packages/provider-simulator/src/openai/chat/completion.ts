import type { ServerSentEvent } from "../../http-face.ts";
import { inPieces } from "../../in-pieces.ts";
import type { Reply } from "../../script.ts";
import type { Speech } from "../../speak.ts";
import { inputTokensOf, type Usage } from "../../usage.ts";
import type { IdPrefix } from "../mint-id.ts";
import type { CompatibleProfile } from "./compatible-profile.ts";

export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A response of Chat Completions. */
export interface ChatCompletion {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: {
      readonly role: "assistant";
      readonly content: string | null;
      readonly refusal: string | null;
      readonly annotations: readonly never[];
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly ChatToolCall[];
    };
    readonly logprobs: null;
    readonly finish_reason: string;
  }[];
  readonly usage: object;
  readonly service_tier: "default";
  readonly system_fingerprint: string;
}

export interface CompletionDraft {
  readonly reply: Reply;
  readonly speech: Speech;
  readonly usage: Usage;
  readonly model: string;
  readonly createdAtMs: number;
  readonly mint: (prefix: IdPrefix) => string;
  readonly profile: CompatibleProfile;
  readonly finishReason?: string;
}

/** Speech as one completion. A chat has one message, so that all texts run together. */
export function toCompletion(draft: CompletionDraft): ChatCompletion {
  const { reply, speech, usage, model, createdAtMs, mint, profile } = draft;
  const text = joined(speech, "text");
  const thinking = joined(speech, "thinking");
  const calls = speech.words.flatMap((words): ChatToolCall[] => {
    if (words.kind !== "tool-call") return [];
    const id = words.id ?? (profile.toolIds === "unique" ? mint("call") : profile.toolIds.always);
    return [{ id, type: "function", function: { name: words.name, arguments: words.arguments } }];
  });
  const refused = speech.stop === "refusal";
  return {
    id: mint("chatcmpl"),
    object: "chat.completion",
    created: Math.floor(createdAtMs / 1000),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: refused || (text === "" && calls.length > 0) ? null : text,
          refusal: refused ? (reply.refusal?.explanation ?? "I can't help with that.") : null,
          annotations: [],
          ...(profile.thinking === "reasoning_content" && thinking !== "" ? { reasoning_content: thinking } : {}),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: draft.finishReason ?? finishReasonOf(speech, calls.length),
      },
    ],
    usage: toChatUsage(usage, profile.usageDetails),
    service_tier: "default",
    system_fingerprint: "fp_simulator",
  };
}

function toChatUsage(usage: Usage, details: CompatibleProfile["usageDetails"]): object {
  const input = inputTokensOf(usage);
  const totals = {
    prompt_tokens: input,
    completion_tokens: usage.outputTokens,
    total_tokens: input + usage.outputTokens,
  };
  if (details === "none") return totals;
  const completion = { completion_tokens_details: { reasoning_tokens: usage.thinkingTokens } };
  if (details === "deepseek") {
    const missed = input - usage.cacheReadTokens;
    return {
      ...totals,
      ...completion,
      prompt_cache_hit_tokens: usage.cacheReadTokens,
      prompt_cache_miss_tokens: missed,
    };
  }
  return {
    ...totals,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens + usage.longCacheWriteTokens,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.thinkingTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** The same completion as chunks, up to and including the end mark. */
export function toChunks(completion: ChatCompletion, usage: "included" | "left-out"): ServerSentEvent[] {
  const { usage: totals, choices, ...rest } = completion;
  const { message, finish_reason } = choices[0]!;
  const base = { ...rest, object: "chat.completion.chunk", ...(usage === "included" ? { usage: null } : {}) };
  const chunk = (delta: object, finish: string | null = null): object => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  const chunks: object[] = [
    chunk({ role: "assistant", content: message.tool_calls === undefined ? "" : null, refusal: null }),
    ...inPieces(message.reasoning_content ?? "").map((reasoning_content) => chunk({ reasoning_content })),
    ...inPieces(message.content ?? "").map((content) => chunk({ content })),
    ...inPieces(message.refusal ?? "").map((refusal) => chunk({ refusal })),
  ];
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    const { name, arguments: text } = call.function;
    chunks.push(chunk({ tool_calls: [{ index, id: call.id, type: "function", function: { name, arguments: "" } }] }));
    for (const piece of inPieces(text)) chunks.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }
  chunks.push(chunk({}, finish_reason));
  if (usage === "included") chunks.push({ ...base, choices: [], usage: totals });
  return [...chunks.map((each) => ({ data: JSON.stringify(each) })), { data: "[DONE]" }];
}

function joined(speech: Speech, kind: "text" | "thinking"): string {
  return speech.words.map((words) => (words.kind === kind ? words.text : "")).join("");
}

function finishReasonOf(speech: Speech, calls: number): string {
  if (speech.stop === "output-limit") return "length";
  return calls > 0 ? "tool_calls" : "stop";
}
