import { PalimpsestError } from "../errors.ts";
import type { Opaque, Text } from "../log/block.ts";
import type { CacheDiagnosis, CacheEffects } from "../log/cause.ts";
import type { CacheTtl, MessagePayload, ToolDefinition, UsagePayload } from "../log/payload.ts";
import type { AppliedEdits, RequestedEdits } from "../log/payload-compaction.ts";
import type { FlatMessage } from "../view/view.ts";
import { type ExtraModels, type ModelFacts, withGiven } from "./models.ts";

/**
 * The wire form of one provider: converts our messages to its requests, and its responses to our messages. Rendering is
 * pure. Every implementation passes `testProvider`.
 */
export interface Provider<Request = unknown, Response = unknown, Message = unknown> {
  /**
   * Name of the wire form; also marks the blocks that only this provider can read ("anthropic", "openai-responses",
   * ...).
   */
  readonly name: string;
  /** Settings and content that invalidate its cached prompts. @default any setting may, images do not */
  readonly cacheEffects?: CacheEffects;
  /** Whether a request with these parameters may ask for `edits`. @default "no" */
  takesEdits?(parameters: RequestParts<Message>["parameters"]): "yes" | "no";
  /**
   * Whether a model accepts deferred tools in the provider's own form. @default "own": their schemas come as text, and
   * the model calls them through `call_tool`
   */
  toolSearch?(model: string): "native" | "own";
  /**
   * `taken`: the provider deletes results from its cached prompt and reports `deletedTokens`. @default no public API
   * does
   */
  readonly cacheEdits?: "taken";
  /** Returns the facts about a model without a network call. The caller's facts win over the table. */
  factsOf(model: string): ModelFacts;
  /**
   * Returns the facts about a model after a request to the provider's models endpoint. Its facts win over the table, and
   * the caller's facts win over both.
   */
  fetchFacts(model: string): Promise<ModelFacts>;
  /**
   * Renders a message in the provider's form, as one message or several. The result is deeply frozen.
   */
  renderMessage(message: FlatMessage): readonly Message[];
  /**
   * Renders the body of a call from rendered messages. The messages and the array are not changed; the array is copied.
   */
  renderRequest(parts: RequestParts<Message>): Request;
  /**
   * Renders a request with the same prompt that only refreshes the cache, without an answer. Undefined if the service
   * would refuse it. @default no such request exists
   */
  renderPing?(request: Request): Request | undefined;
  /**
   * Renders a request for the provider to compact the same conversation: the response is a `compaction` and nothing
   * else. Undefined if the service would refuse the request, or later requests with its result. @default no such
   * request exists
   */
  renderCompaction?(request: Request, options?: CompactionRequestOptions): Request | undefined;
  /** Reads a whole response, from the client or assembled from a stream. */
  readResponse(response: Response): ResponseContent;
  /**
   * Reads messages that another program wrote in this provider's form. Each tool result becomes a separate message.
   */
  readMessages(messages: readonly Message[]): readonly MessagePayload[];
  /**
   * Sends a request through the caller's client, with streaming and without the client's retries. Returns the whole
   * response. Throws every failure as a ProviderError.
   */
  send(request: Request, options?: SendOptions): AsyncGenerator<StreamPart, Response>;
  /** Asks the provider for the token count of the request's input; undefined if the provider cannot count. */
  countTokens(request: Request, options?: SendOptions): Promise<number | undefined>;
}

/** The parts of a request. Edits are only for providers that accept them. */
export interface RequestParts<Message = unknown> extends RequestedEdits {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** Tools that are not in the prompt until a result of `tool_search` names them; for `toolSearch`. @default none */
  readonly deferredTools?: readonly ToolDefinition[];
  /** Fields of the provider's request that the caller chose. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly messages: readonly Message[];
  /** Indexes of messages that end a section worth caching, oldest first; for providers with cache marks. */
  readonly marks: readonly number[];
  readonly cacheTtl: CacheTtl;
  /** How long the system prompt and the tools are cached, if longer than the messages. @default `cacheTtl` */
  readonly headTtl?: "1h";
  readonly maxTokens: number;
  /** Keeps requests of one session on the same cache, for providers that accept such a hint. */
  readonly session: string;
  /**
   * The newest response of this session, also if a rewind has taken the response out of the conversation. A provider that explains cache
   * misses compares the request with it.
   */
  readonly previousResponseId?: string;
}

/** A response as the log keeps it. */
export interface ResponseContent {
  readonly responseId: string;
  readonly model: string;
  /** The model's blocks; after a compaction by the provider, only the blocks that follow it. */
  readonly blocks: MessagePayload["blocks"];
  readonly compaction?: ProviderCompaction;
  /**
   * `paused`: send the response back unchanged to continue. `length`: cut at the output limit. `window`: cut because
   * the window is full.
   */
  readonly stop: "end" | "tools" | "length" | "window" | "paused" | "refused" | "compacted" | "other";
  readonly usage: Omit<
    UsagePayload,
    | "responseId"
    | "model"
    | "answers"
    | "source"
    | "madeAtMs"
    | "prices"
    | "cacheDiagnosis"
    | "appliedEdits"
    | "folded"
    | "fork"
  >;
  /** The provider's explanation of where the request differs from the previous one. */
  readonly cacheDiagnosis?: CacheDiagnosis;
  /** The content that the provider left out, if any. */
  readonly appliedEdits?: AppliedEdits;
}

/** A compaction by the provider: it replaces the conversation, and anything before it in the response. */
export interface ProviderCompaction {
  /**
   * Replaces the compacted part. It is sent back to the provider unchanged, as the first block; other providers get its
   * text, if it is readable.
   */
  readonly block: Text | Opaque;
  /** Usage of the compaction, if the response's own usage does not include it. */
  readonly usage?: ResponseContent["usage"];
}

export interface CompactionRequestOptions {
  /** Replaces the provider's own instructions for the summary. @default the provider's own */
  readonly instructions?: string;
}

/** Options of one request. */
export interface SendOptions {
  readonly signal?: AbortSignal;
}

/**
 * A part of a streaming response: visible content, a report of the provider about the response, or a wait before it.
 */
export type StreamPart = ShownPart | ResponseReport | RequestWaiting;

/**
 * The request waits, because a limit that it shares with other requests is used up. Emitted repeatedly until it is
 * sent.
 */
export interface RequestWaiting {
  readonly kind: "request-waiting";
  /** Expected time until the request is sent. */
  readonly waitMs: number;
  /** The limit that the request waits for. */
  readonly message: string;
}

/**
 * A provider's report about an unfinished response: at its beginning, and with each report of usage. An interrupted
 * answer is priced by the newest report, or by an estimate if there is none.
 */
export interface ResponseReport {
  readonly kind: "report";
  readonly responseId: string;
  readonly model: string;
  /** The usage so far; output is absent until the provider has counted it. */
  readonly usage?: ReportedUsage;
}

/** The usage of an unfinished response. */
export type ReportedUsage = Omit<ResponseContent["usage"], "outputTokens"> & { readonly outputTokens?: number };

/** A visible piece of a response. */
export type ShownPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "tool_call"; readonly id: string; readonly name: string }
  | { readonly kind: "tool_input"; readonly id: string; readonly text: string };

/**
 * Why a call failed, in one form for all providers. `overflow`: the input does not fit, by tokens or by bytes.
 * `media-refused`: the provider rejects an image or a document; `place` names it if the provider does. `rate-limited`,
 * `overloaded`, `broken-stream` and `unreachable` can be retried. `aborted`: the caller stopped the call. `refused`:
 * the request itself is invalid or not allowed.
 */
export type ProviderFailure =
  | {
      readonly kind: "overflow";
      readonly by: "tokens" | "bytes";
      readonly inputTokens?: number;
      readonly limitTokens?: number;
    }
  | {
      readonly kind: "media-refused";
      readonly problem: MediaProblem;
      readonly media: "image" | "document";
      readonly place?: string;
    }
  | { readonly kind: "rate-limited"; readonly retryAfterMs?: number }
  | { readonly kind: "overloaded"; readonly retryAfterMs?: number }
  | { readonly kind: "broken-stream" }
  | { readonly kind: "unreachable" }
  | { readonly kind: "aborted" }
  | { readonly kind: "refused"; readonly status?: number };

/** `unsupported`: a media type that the provider rejects. `no-media`: the model accepts no media at all. */
export type MediaProblem = "unreadable" | "too-large" | "too-many" | "unsupported" | "no-media";

/** A failed call to a provider. `failure` says why; `cause` is the client's own error. */
export class ProviderError extends PalimpsestError {
  static readonly code = "provider";
  readonly code: string = ProviderError.code;
  readonly provider: string;
  readonly failure: ProviderFailure;

  constructor(provider: string, failure: ProviderFailure, message: string, options?: ErrorOptions) {
    super(`${provider}: ${message}`, options);
    this.provider = provider;
    this.failure = failure;
  }
}

/**
 * Returns the provider with additional facts about models, which win over its own: for hosts that let users add models.
 */
export function withModels<Concrete extends Provider>(provider: Concrete, extra: ExtraModels): Concrete {
  return {
    ...provider,
    factsOf: (model) => withGiven(model, provider.factsOf(model), extra),
    fetchFacts: async (model) => withGiven(model, await provider.fetchFacts(model), extra),
  };
}
