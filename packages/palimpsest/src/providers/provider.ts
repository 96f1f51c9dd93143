import type { Opaque, Text } from "../log/block.ts";
import type { CacheDiagnosis, CacheEffects } from "../log/cause.ts";
import type { CacheTtl, MessagePayload, ToolDefinition, UsagePayload } from "../log/payload.ts";
import type { AppliedEdits, RequestedEdits } from "../log/provider-edits.ts";
import type { FlatMessage } from "../view/flat-message.ts";
import type { ModelFacts } from "./models.ts";

/**
 * One provider's wire form: how our messages become its request, and how its response becomes ours. Rendering is pure.
 * Every implementation passes `testProvider`.
 */
export interface Provider<Request = unknown, Response = unknown, Message = unknown> {
  /** Names the wire form, and marks the blocks that only it can read back ("anthropic", "openai-responses", ...). */
  readonly name: string;
  /** What moves its cached prompts. @default every setting may, images do not */
  readonly cacheEffects?: CacheEffects;
  /** Whether a request with these parameters may ask for `edits`. @default "no" */
  takesEdits?(parameters: RequestParts<Message>["parameters"]): "yes" | "no";
  /** `taken`: it deletes results from its cached prompt, and reports `deletedTokens`. @default no public API does */
  readonly cacheEdits?: "taken";
  /** What is known of a model without asking: the table, with what the caller added to it. */
  factsOf(model: string): ModelFacts;
  /** The same with what the provider's own models endpoint says, which wins over the table, but not over the caller. */
  fetchFacts(model: string): Promise<ModelFacts>;
  /** A message in the provider's form; some forms need several for one. The result is frozen all the way down. */
  renderMessage(message: FlatMessage): readonly Message[];
  /** The body of a call, from messages rendered before. Neither they nor the array are changed or handed on: it is copied. */
  renderRequest(parts: RequestParts<Message>): Request;
  /**
   * The same prompt as that of a request, to be read into the cache once more without an answer; undefined where the
   * service would not take it. @default there is no such request
   */
  renderPing?(request: Request): Request | undefined;
  /**
   * The same conversation, to be folded by the provider: the response is a `compaction` and nothing else. Undefined where the
   * service would not take it, or not what follows from it. @default there is no such request
   */
  renderCompaction?(request: Request, options?: CompactionRequestOptions): Request | undefined;
  /** A whole response, as the client returned it or put it together from a stream. */
  readResponse(response: Response): ResponseContent;
  /** Messages of another program that uses this provider's form: one of ours for each part that can be named. */
  readMessages(messages: readonly Message[]): readonly MessagePayload[];
  /**
   * Sends a request through the caller's client, streaming, without retries of the client's own. Returns the whole
   * response. Everything that goes wrong is thrown as a ProviderError.
   */
  send(request: Request, options?: SendOptions): AsyncGenerator<StreamPart, Response>;
  /** Asks the provider how many tokens the request's input has; undefined where it has no way to ask. */
  countTokens(request: Request, options?: SendOptions): Promise<number | undefined>;
}

/** What it asks beside an answer is only for a provider that takes it. */
export interface RequestParts<Message> extends RequestedEdits {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** Fields of the provider's request as the caller chose them. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly messages: readonly Message[];
  /** Indexes of messages that end a stretch worth caching, oldest first; for providers that are told so. */
  readonly marks: readonly number[];
  readonly cacheTtl: CacheTtl;
  readonly maxTokens: number;
  /** Keeps requests of one session on the same cache, for providers that take such a hint. */
  readonly session: string;
  /** The newest response of this session: what the provider is to compare the request with, where it explains its cache. */
  readonly previousResponseId?: string;
}

export interface ResponseContent {
  readonly responseId: string;
  readonly model: string;
  /** What the model has said; where the provider has folded, what it has said behind that. */
  readonly blocks: MessagePayload["blocks"];
  readonly compaction?: ProviderCompaction;
  /** `paused`: to be sent back as it is. `length`: cut at the output limit. `window`: cut because the window is full. */
  readonly stop: "end" | "tools" | "length" | "window" | "paused" | "refused" | "compacted" | "other";
  readonly usage: Omit<
    UsagePayload,
    "responseId" | "model" | "answers" | "source" | "madeAtMs" | "prices" | "cacheDiagnosis" | "appliedEdits" | "folded"
  >;
  /** Where, by the provider's own account, the request departed from the one before it. */
  readonly cacheDiagnosis?: CacheDiagnosis;
  /** What it left out, if it left something out. */
  readonly appliedEdits?: AppliedEdits;
}

/** The provider has folded all that came before: the conversation, and what the response may have begun with. */
export interface ProviderCompaction {
  /** Stands for it. Goes back to the provider as it is, first of all; others are told its text, if it can be read. */
  readonly block: Text | Opaque;
  /** What the folding took, where that is not part of the response's own usage. */
  readonly usage?: ResponseContent["usage"];
}

export interface CompactionRequestOptions {
  /** Takes the place of the provider's own words to the one who summarizes. @default its own */
  readonly instructions?: string;
}

export interface SendOptions {
  readonly signal?: AbortSignal;
}

/** What arrives while a response is being written: pieces of it, and what the provider reports of it. */
export type StreamPart = ShownPart | ResponseReport;

/**
 * What the provider says of a response before it is whole: at its beginning, and whenever it reports usage. An answer that
 * is interrupted is priced by the newest one, and by an estimate where there is none.
 */
export interface ResponseReport {
  readonly kind: "report";
  readonly responseId: string;
  readonly model: string;
  /** So far; the output is absent until the provider has counted it. */
  readonly usage?: ReportedUsage;
}

/** The usage of a response that is not whole. */
export type ReportedUsage = Omit<ResponseContent["usage"], "outputTokens"> & { readonly outputTokens?: number };

/** A piece of a response that can be shown. */
export type ShownPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "tool_call"; readonly id: string; readonly name: string }
  | { readonly kind: "tool_input"; readonly id: string; readonly text: string };
