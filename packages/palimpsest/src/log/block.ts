import type { Provenance } from "./provenance.ts";

/** Describes a tool to the model. It cannot be run; `tool()` makes tools that can. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Who describes the tool, if not the host, such as a server of tools. Its description is then marked as data. @default the host */
  readonly provenance?: Provenance;
  /**
   * Whether old results may be replaced by a stub; `recall` still reads them. Not sent to the provider.
   * @default "clearable", and "kept" for a tool with side effects
   */
  readonly results?: "clearable" | "kept";
  /**
   * `bounded`: the tool limits the size of its results, for example because it reads files page by page. Its results are not
   * stored in files. Not sent to the provider. @default results over `toolResults.thresholdCharacters` are stored
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

/** The tool by which the model brings deferred tools into the conversation. It is offered if a tool is deferred. */
export const TOOL_SEARCH = "tool_search";
/** The tool that calls them, with providers that know only the tools at the beginning of a request. */
export const CALL_TOOL = "call_tool";

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

/** Image types that the services accept. */
export const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const PDF = "application/pdf";

/** A PDF may have some bytes before its signature. No more bytes than this are examined. */
const LOOKED_AT_BYTES = 1_024;

/** Detects the type of an image or a PDF from its first bytes; undefined for other content. */
export function detectMediaType(bytes: Uint8Array): string | undefined {
  const starts = (...expected: readonly number[]): boolean => expected.every((byte, at) => bytes[at] === byte);
  const says = (at: number, word: string): boolean =>
    word.split("").every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (says(0, "GIF87a") || says(0, "GIF89a")) return "image/gif";
  if (says(0, "RIFF") && says(8, "WEBP")) return "image/webp";
  const text = String.fromCharCode(...bytes.subarray(0, LOOKED_AT_BYTES));
  return text.includes("%PDF-") ? PDF : undefined;
}

/** The result of checking media. `corrected`: the bytes have another type than declared. `unreadable`: no service accepts them. */
type CheckedMedia =
  | { readonly kind: "fine" }
  | { readonly kind: "corrected"; readonly media: Media }
  | { readonly kind: "unreadable"; readonly why: string };

/**
 * Checks whether media have their declared type. It examines only content that a service would decode. URLs, plain text and
 * types that no service accepts pass, because they are sent unchanged or as text.
 */
export function checkMedia(media: Media): CheckedMedia {
  const { kind, source } = media;
  // Malformed content is refused when it is appended.
  if (source?.kind !== "base64" || typeof source.data !== "string") return { kind: "fine" };
  const { mediaType, data } = source;
  const isShown = kind === "image" ? IMAGE_TYPES.includes(mediaType) : mediaType === PDF;
  const bytes = firstBytes(data);
  if (bytes === undefined) return isShown ? unreadable(`its data is no base64`) : { kind: "fine" };
  if (isShown && bytes.length === 0) return unreadable("it is empty");
  const found = detectMediaType(bytes);
  if (found === mediaType) return { kind: "fine" };
  const isUsable = found !== undefined && (kind === "image" ? IMAGE_TYPES.includes(found) : found === PDF);
  if (isUsable) return { kind: "corrected", media: { ...media, source: { ...source, mediaType: found } } };
  if (!isShown) return { kind: "fine" };
  return unreadable(found === undefined ? `its bytes are no ${mediaType}` : `it is ${found}, not ${mediaType}`);
}

function unreadable(why: string): CheckedMedia {
  return { kind: "unreadable", why };
}

/** Undefined if the text is not base64. */
function firstBytes(base64: string): Uint8Array | undefined {
  try {
    const binary = atob(base64.slice(0, Math.ceil(LOOKED_AT_BYTES / 3) * 4));
    return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
