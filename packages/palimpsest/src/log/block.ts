// The content of messages: text, thinking, tool calls, tool results and media, in a form that fits every provider.

import type { Provenance } from "./provenance.ts";

/**
 * A part of a message. If these fields cannot reproduce a provider's block byte for byte, the block also carries the provider's
 * own form (`native`).
 */
export type Block = Text | Thinking | ToolCall | ToolResult | Media | Opaque;

/** A part of a tool result. */
export type Part = Text | Media | Opaque;

export interface Text {
  readonly kind: "text";
  readonly text: string;
  /** The source of this text, if it differs from the source of the message. Never sent: it decides how the text is marked. */
  readonly provenance?: Provenance;
  /** `own`: the text already stands between tags, because its writer used `withinTag`. @default marked when it is sent */
  readonly marks?: "own";
  /** The tool that this text describes, in a result of `tool_search`. From here on, the model can call it. @default none */
  readonly tool?: ToolDefinition;
  readonly native?: Native;
}

/** Reasoning that the provider signed. It goes back to that provider byte for byte, and to no other provider. */
export interface Thinking {
  readonly kind: "thinking";
  readonly provider: string;
  /** Often empty: newer models show only the signature. */
  readonly text: string;
  /** Signed or encrypted content; absent if `native` has it. */
  readonly signature?: string;
  readonly native?: Native;
}

/** A tool call that the model made. The result refers to the call by `callId`. */
export interface ToolCall {
  readonly kind: "tool_call";
  /** Not always unique: some local servers reuse one id. */
  readonly id: string;
  readonly name: string;
  /** The parsed input; a string if the model wrote invalid JSON. */
  readonly input: unknown;
  /** `call_tool`, if the model called a deferred tool through it because the provider does not support them. @default none */
  readonly through?: "call_tool";
  readonly native?: Native;
}

/** The result of a tool call. Each call gets exactly one. */
export interface ToolResult {
  readonly kind: "tool_result";
  readonly callId: string;
  readonly content: string | readonly Part[];
  readonly status: "ok" | "error";
  /** The tool that was called, if the form of the result depends on it. Set when messages are flattened. */
  readonly tool?: "tool_search";
}

export interface Media {
  readonly kind: "image" | "document";
  readonly source: MediaSource;
  /** Fields of the provider's own form besides the source, such as the level of detail of an image or the name of a file. */
  readonly native?: Native;
}

export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

/** A block that the engine passes on unread: a server tool's call, a search result, a file on the provider's side. */
export interface Opaque {
  readonly kind: "opaque";
  readonly native: Native;
}

/** A block in the form of one provider. It is sent back unchanged to that provider, and to no other. */
export interface Native {
  readonly provider: string;
  readonly block: unknown;
}

/** The description of a tool for the model. It has no code to run; `tool()` makes tools that have. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The author of the description, such as a tool server. A description that is not the host's is marked as data. @default the host */
  readonly provenance?: Provenance;
  /**
   * Whether a stub may replace old results; `recall` still reads them. Not sent to the provider.
   * @default "clearable", and "kept" for a tool with side effects
   */
  readonly results?: "clearable" | "kept";
  /**
   * `bounded`: the tool limits the size of its results, for example because it reads files page by page. Its results are not
   * stored in files. Not sent to the provider. @default the `store` rule of the policy decides by length
   */
  readonly resultSize?: "bounded";
  /**
   * `some`: a call changes something outside the conversation, so a second call does not reproduce the result.
   * Not sent to the provider. @default "none"
   */
  readonly sideEffects?: "none" | "some";
  /**
   * `deferred`: the prompt has only the tool's name and one line about it; the tool `tool_search` brings the rest into the
   * conversation when the model asks for it. `when-large`: deferred if all such tools together are large (`tools.deferAboveTokens`,
   * or a tenth of the window). @default description and schema are in the prompt
   */
  readonly loading?: "deferred" | "when-large";
}

/** The name of the tool that loads deferred tools into the conversation. The model gets it if a tool is deferred. */
export const TOOL_SEARCH = "tool_search";
/** The name of the tool that calls loaded tools, with providers that know only the tools at the beginning of a request. */
export const CALL_TOOL = "call_tool";
