// Converts media, inputs, results, ids and token counts between our blocks and the forms of the services.

import type { Block, Media, MediaSource, Part, ToolResult } from "../log/block.ts";
import { IMAGE_TYPES } from "../log/media-type.ts";
import type { MessagePayload } from "../log/payload.ts";
import { asCount, asList, asObject, type JsonObject } from "../schema/json-fields.ts";
import type { ResponseContent } from "./provider.ts";

/**
 * Whether the services accept media of this type. A refused type would make every later request of the conversation
 * fail.
 */
export function canBeShown({ kind, source }: Media): boolean {
  if (source.kind === "url") return true;
  if (kind === "image") return IMAGE_TYPES.includes(source.mediaType);
  return source.mediaType === "application/pdf" || source.mediaType.startsWith("text/");
}

/** Returns the text that replaces media of a type that a service refuses. */
export function describeMedia({ kind, source }: Media): string {
  return source.kind === "url"
    ? `[${kind} at ${source.url}, which cannot be shown]`
    : `[${kind} of type ${source.mediaType}, which cannot be shown]`;
}

/** Returns media in the form that most services accept: a web address, or a data URL with the bytes. */
export function toUrl(source: MediaSource): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

/** Reads a web address, or the bytes of a data URL. */
export function fromUrl(url: string): MediaSource {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? { kind: "url", url } : { kind: "base64", mediaType, data };
}

/** Returns a file name for a document: some services require a name and read the type from its extension. */
export function fileNameOf(source: MediaSource): string {
  return `document.${source.kind === "base64" && source.mediaType === "application/pdf" ? "pdf" : "txt"}`;
}

/**
 * Decodes base64 data. Skips invalid characters, as `Buffer` does: the data of a log must give the same request in
 * every runtime, and `atob` would throw.
 */
export function base64Bytes(data: string): Uint8Array<ArrayBuffer> {
  const characters = data
    .replace(/=.*$/s, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^A-Za-z0-9+/]/g, "");
  // A single leftover character is six bits, less than a byte.
  const whole = characters.length % 4 === 1 ? characters.slice(0, -1) : characters;
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
}

/** Decodes base64 data as UTF-8 text. */
export function base64Text(data: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(base64Bytes(data));
}

/** Encodes bytes as base64, in pieces that fit the arguments of one call. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 8_192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  }
  return btoa(binary);
}

/** Parses the input of a tool call. Returns the text itself if it is not valid JSON. */
export function parseInput(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Wraps broken JSON and plain values in an object: services accept only an object as the input of a tool call. */
export function toArguments(input: unknown): JsonObject {
  return asObject(input) ?? (input === undefined ? {} : { input });
}

/**
 * Returns the content of a tool result in its shortest form: a single text as a string, no parts as an empty string.
 */
export function toContent(parts: readonly Part[]): ToolResult["content"] {
  const [only] = parts;
  if (only === undefined) return "";
  return parts.length === 1 && only.kind === "text" && only.native === undefined ? only.text : parts;
}

/** Reads content that is a text, or a list of texts and parts. Skips values that are neither text nor object. */
export function readParts(content: unknown, readPart: (part: JsonObject) => Part): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return (asList(content) ?? []).flatMap((value): Part[] => {
    if (typeof value === "string") return [{ kind: "text", text: value }];
    const part = asObject(value);
    return part === undefined ? [] : [readPart(part)];
  });
}

/** Returns the text of a tool result, for services whose results contain only text. */
export function textOfResult({ content }: ToolResult): string {
  if (typeof content === "string") return content;
  return content
    .filter((part) => part.kind === "text")
    .map(({ text }) => text)
    .join("\n");
}

/** Returns the images and documents of a tool result. If results contain only text, the media follow them. */
export function mediaOfResult({ content }: ToolResult): readonly Media[] {
  return typeof content === "string" ? [] : content.filter(isMedia);
}

function isMedia(part: Part): part is Media {
  return part.kind === "image" || part.kind === "document";
}

/**
 * Splits a user message: each tool result becomes a separate message, so that later entries can refer to one result.
 */
export function splitResults(blocks: readonly Block[], origin: MessagePayload["origin"]): MessagePayload[] {
  const payloads: MessagePayload[] = [];
  let rest: Block[] = [];
  const flush = (): void => {
    if (rest.length > 0) payloads.push({ role: "user", blocks: rest, origin });
    rest = [];
  };
  for (const block of blocks) {
    if (block.kind !== "tool_result") {
      rest.push(block);
      continue;
    }
    flush();
    payloads.push({ role: "user", blocks: [block], origin: "tool" });
  }
  flush();
  return payloads;
}

/** Converts token counts of a response to our usage. */
export function toUsage(reported: ReportedCounts): ResponseContent["usage"] {
  const cacheReadTokens = asCount(reported.cacheRead) ?? 0;
  const cacheWriteTokens = asCount(reported.cacheWrite) ?? 0;
  const reasoningTokens = asCount(reported.reasoning);
  return {
    freshTokens: Math.max(0, (asCount(reported.input) ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asCount(reported.output) ?? 0,
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}

/** Token counts of a response. Each service names the fields differently. */
interface ReportedCounts {
  /** The whole input, including tokens read from the cache and written to it. */
  readonly input: unknown;
  readonly cacheRead: unknown;
  readonly cacheWrite: unknown;
  readonly output: unknown;
  readonly reasoning: unknown;
}

/**
 * Shortens ids that are too long for a service: other providers write longer ones. The ids of a call and its result are
 * shortened in the same way, so they still match.
 */
export function shortenId(id: string, maximumLength: number): string {
  return id.length <= maximumLength ? id : `${id.slice(0, maximumLength - 9)}-${fingerprint(id)}`;
}

/** Returns the FNV-1a hash of a text, as eight hexadecimal digits. */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
