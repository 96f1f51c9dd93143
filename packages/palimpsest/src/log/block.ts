import type { Provenance } from "./provenance.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/**
 * A part of a message, in a form that fits every provider. If our form cannot reproduce a provider's block byte for byte, the
 * block also carries the provider's own form (`native`).
 */
export type Block = Text | Thinking | ToolCall | ToolResult | Media | Opaque;

/** A part of a tool result. */
export type Part = Text | Media | Opaque;

/** A block in the form of one provider. It is sent back unchanged to that provider, and to no other. */
export interface Native {
  readonly provider: string;
  readonly block: unknown;
}

export interface Text {
  readonly kind: "text";
  readonly text: string;
  /** Where this text comes from, if not from where its message does. Never sent: it decides what the text is marked as. */
  readonly provenance?: Provenance;
  /** `own`: the text was put between tags when it was written, with `withinTag`. @default it is marked when it is sent */
  readonly marks?: "own";
  /** The tool that this text describes, in a result of `tool_search`: from here on, the model can call it. @default none */
  readonly tool?: ToolDefinition;
  readonly native?: Native;
}

/** Reasoning that the provider signed. It is sent back byte for byte or not at all, and only to its provider. */
export interface Thinking {
  readonly kind: "thinking";
  readonly provider: string;
  /** Often empty: newer models show only the signature. */
  readonly text: string;
  /** Signed or encrypted content; absent if `native` has it. */
  readonly signature?: string;
  readonly native?: Native;
}

/** A call of a tool that the model made. The result refers to it by `callId`. */
export interface ToolCall {
  readonly kind: "tool_call";
  /** Not always unique: some local servers reuse one id. */
  readonly id: string;
  readonly name: string;
  /** The parsed input; a string if the model wrote invalid JSON. */
  readonly input: unknown;
  /** The tool by which the model has called this one, where its provider cannot bring deferred tools in. @default none */
  readonly through?: "call_tool";
  readonly native?: Native;
}

/** The result of a tool call. Each call gets exactly one. */
export interface ToolResult {
  readonly kind: "tool_result";
  readonly callId: string;
  readonly content: string | readonly Part[];
  readonly status: "ok" | "error";
  /** The tool that was called, where its form depends on it; known when messages are flattened. */
  readonly tool?: "tool_search";
}

export interface Media {
  readonly kind: "image" | "document";
  readonly source: MediaSource;
  /** Fields of the provider's own form beside the source: how closely an image is looked at, the name of a file. */
  readonly native?: Native;
}

export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

/** A block that we only pass on: a server tool's call, a search result, a file on the provider's side. */
export interface Opaque {
  readonly kind: "opaque";
  readonly native: Native;
}
