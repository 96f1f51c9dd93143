// The JSON of the Converse API: requests, messages and responses.

import type { JsonObject } from "../../schema/json-fields.ts";

/** The name of this wire form in logs. */
export const BEDROCK = "bedrock";

/** The fields of a call, streamed or not. The caller's parameters add further fields. */
export interface BedrockRequest {
  readonly modelId: string;
  readonly messages: readonly BedrockMessage[];
  readonly system?: readonly BedrockBlock[];
  readonly inferenceConfig: { readonly maxTokens: number } & JsonObject;
  readonly toolConfig?: { readonly tools: readonly JsonObject[] } & JsonObject;
  readonly additionalModelRequestFields?: JsonObject;
}

/** A message of a request. */
export interface BedrockMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly BedrockBlock[];
}

/**
 * A content block; one field is set. Bytes are base64 text, as in the body of a request. `toInput` converts them to
 * bytes for the client.
 */
export interface BedrockBlock {
  readonly text?: string;
  readonly image?: BedrockImage;
  readonly document?: BedrockDocument;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
  readonly toolResult?: {
    readonly toolUseId: string;
    readonly content: readonly (BedrockBlock & { readonly json?: unknown })[];
    readonly status?: "success" | "error";
  };
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text: string; readonly signature?: string };
    readonly redactedContent?: string;
  };
  readonly cachePoint?: BedrockCachePoint;
}

/** An image, as base64. */
export interface BedrockImage {
  readonly format: string;
  readonly source: { readonly bytes: string };
}

/** A document, as base64. */
export interface BedrockDocument {
  readonly format: string;
  readonly name: string;
  readonly source: { readonly bytes: string };
}

/** A cache breakpoint. */
export interface BedrockCachePoint {
  readonly type: "default";
  readonly ttl?: "1h";
}

/** A response from `Converse`, whether or not it was assembled from a stream. */
export interface BedrockResponse {
  /** The model id of the request, because responses do not name their model. */
  readonly modelId?: string;
  readonly output?: { readonly message?: { readonly role?: string; readonly content?: readonly unknown[] } };
  readonly stopReason?: string;
  readonly usage?: object;
  readonly $metadata?: { readonly requestId?: string };
}
