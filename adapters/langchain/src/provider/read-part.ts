// Reads the parts of a message as blocks.

import type { Block, Part } from "palimpsest";
import { fromUrl, type Media, type MediaSource, type Native, type Opaque } from "palimpsest/provider-parts";
import { asObject, asString, type JsonObject } from "palimpsest/schema";
import { LANGCHAIN } from "./wire.ts";

/** Reads a part that the model wrote, except calls. */
export function readAnswerPart(part: JsonObject): readonly Block[] {
  const content = contentFieldsOf(part);
  switch (part["type"]) {
    case "text":
    case "text_delta": {
      const { type: _, text, ...rest } = content;
      return typeof text !== "string" || text === "" ? [] : [{ kind: "text", text, ...nativeOf(rest) }];
    }
    case "thinking":
    case "redacted_thinking":
      return [{ kind: "thinking", provider: LANGCHAIN, text: asString(part["thinking"]) ?? "", ...nativeOf(content) }];
    case "reasoning":
      return [readReasoning(content)];
    default:
      return readShown(part);
  }
}

/** Converts signed reasoning to the service's form. Models accept the standard form only if the whole message uses it. */
function readReasoning(part: JsonObject): Block {
  const [text, signature] = [asString(part["reasoning"]), asString(part["signature"])];
  if (signature === undefined) return toOpaque(part);
  const block = { type: "thinking", thinking: text ?? "", signature };
  return { kind: "thinking", provider: LANGCHAIN, text: text ?? "", ...nativeOf(block) };
}

/** Reads a part that the user or a tool wrote. */
export function readShown(part: JsonObject): readonly Part[] {
  const type = asString(part["type"]);
  if (type === undefined) return [];
  if (type === "text") {
    const text = asString(part["text"]) ?? "";
    return text === "" ? [] : [{ kind: "text", text }];
  }
  return [toMedia(type, part) ?? toOpaque(contentFieldsOf(part))];
}

function toMedia(type: string, part: JsonObject): Media | undefined {
  const kind = type === "image_url" || type === "image" ? "image" : "document";
  if (kind === "document" && !FILES.includes(type)) return undefined;
  const source = toSource(type === "image_url" ? { url: urlOf(part["image_url"]) } : part);
  const { detail } = asObject(part["image_url"]) ?? {};
  const { metadata } = part;
  return source && { kind, source, ...nativeOf({ detail, metadata }) };
}

const FILES: readonly string[] = ["file", "document", "audio", "video"];

function toSource(part: JsonObject): MediaSource | undefined {
  // Each service has its own form, and the framework has an old form and a new one.
  const { type, url, data, text, media_type, mime_type, mimeType } = { ...part, ...asObject(part["source"]) };
  const mediaType = [media_type, mime_type, mimeType].map(asString).find((one) => one !== undefined) ?? "";
  const address = asString(url);
  // Our form of a URL has no media type, so audio and video keep the form of the framework.
  if (address !== undefined) return /(^| )(audio|video)/.test(`${type} ${mediaType}`) ? undefined : fromUrl(address);
  const bytes = asString(data);
  if (bytes === undefined || asString(text) !== undefined || type === "text" || type === "content") return undefined;
  return { kind: "base64", mediaType, data: bytes };
}

function urlOf(image: unknown): string | undefined {
  return asString(image) ?? asString(asObject(image)?.["url"]);
}

/** Keeps the fields of a part that our form lacks. Drops empty fields, because streams and whole answers differ in them. */
export function nativeOf(fields: JsonObject): { native?: Native } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return entries.length === 0 ? {} : { native: { provider: LANGCHAIN, block: Object.fromEntries(entries) } };
}

export function contentFieldsOf(part: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(part).filter(([name]) => !OTHER_FIELDS.includes(name)));
}

/** Fields that are not content: the index of a part in its stream, and cache marks. */
const OTHER_FIELDS: readonly string[] = ["index", "cache_control"];

function toOpaque(part: JsonObject): Opaque {
  return { kind: "opaque", native: { provider: LANGCHAIN, block: part } };
}
