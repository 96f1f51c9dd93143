/**
 * What a message is made of, in words that fit every provider. A block that a provider wrote and that our words cannot
 * give back byte for byte carries the provider's own form beside it (`native`).
 */
export type Block = Text | Thinking | ToolCall | ToolResult | Media | Opaque;

/** What can stand in a tool result. */
export type Part = Text | Media | Opaque;

/** A block as one provider wrote it. Sent back to that provider as it is, and to no other. */
export interface Native {
  readonly provider: string;
  readonly block: unknown;
}

export interface Text {
  readonly kind: "text";
  readonly text: string;
  readonly native?: Native;
}

/** Reasoning that the provider signed: sent back byte for byte or not at all, and only to the provider it came from. */
export interface Thinking {
  readonly kind: "thinking";
  readonly provider: string;
  /** Often empty: newer models show only the signature. */
  readonly text: string;
  /** Signed or sealed content; absent if it stands in `native`. */
  readonly signature?: string;
  readonly native?: Native;
}

export interface ToolCall {
  readonly kind: "tool_call";
  /** Not unique everywhere: some local servers use one id again and again. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it; a string where that was no JSON. */
  readonly input: unknown;
  readonly native?: Native;
}

export interface ToolResult {
  readonly kind: "tool_result";
  readonly callId: string;
  readonly content: string | readonly Part[];
  readonly status: "ok" | "error";
}

export interface Media {
  readonly kind: "image" | "document";
  readonly source: MediaSource;
}

export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

/** Anything else a provider knows and we only carry: a server tool's call, a search result, a file on its side. */
export interface Opaque {
  readonly kind: "opaque";
  readonly native: Native;
}
