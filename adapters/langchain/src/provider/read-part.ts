import type { Block, Part } from "palimpsest";
import { fromUrl, type Media, type MediaSource, type Native, type Opaque } from "palimpsest/provider-parts";
import { asObject, asString, type JsonObject } from "palimpsest/schema";
import { LANGCHAIN } from "./wire.ts";

/** Where a part stands in a stream, and where the cache ends: neither is said. */
const UNSAID: readonly string[] = ["index", "cache_control"];

/** A part that the model wrote, other than a call. */
export function readAnswerPart(part: JsonObject): readonly Block[] {
  const said = withoutUnsaid(part);
  switch (part["type"]) {
    case "text":
    case "text_delta": {
      const { type: _, text, ...rest } = said;
      return typeof text !== "string" || text === "" ? [] : [{ kind: "text", text, ...nativeOf(rest) }];
    }
    case "thinking":
    case "redacted_thinking":
      return [{ kind: "thinking", provider: LANGCHAIN, text: asString(part["thinking"]) ?? "", ...nativeOf(said) }];
    case "reasoning":
      return [readReasoning(said)];
    default:
      return readShown(part);
  }
}

/** A signed one is sent back in the form of the service: the standard form is understood only in messages that are all of it. */
function readReasoning(part: JsonObject): Block {
  const [text, signature] = [asString(part["reasoning"]), asString(part["signature"])];
  if (signature === undefined) return toOpaque(part);
  const block = { type: "thinking", thinking: text ?? "", signature };
  return { kind: "thinking", provider: LANGCHAIN, text: text ?? "", ...nativeOf(block) };
}

/** A part that the user or a tool wrote. */
export function readShown(part: JsonObject): readonly Part[] {
  const type = asString(part["type"]);
  if (type === undefined) return [];
  if (type === "text") {
    const text = asString(part["text"]) ?? "";
    return text === "" ? [] : [{ kind: "text", text }];
  }
  return [toMedia(type, part) ?? toOpaque(withoutUnsaid(part))];
}

const FILES: readonly string[] = ["file", "document", "audio", "video"];

function toMedia(type: string, part: JsonObject): Media | undefined {
  const kind = type === "image_url" || type === "image" ? "image" : "document";
  if (kind === "document" && !FILES.includes(type)) return undefined;
  const source = toSource(type === "image_url" ? { url: urlOf(part["image_url"]) } : part);
  const { detail } = asObject(part["image_url"]) ?? {};
  const { metadata } = part;
  return source && { kind, source, ...nativeOf({ detail, metadata }) };
}

function toSource(part: JsonObject): MediaSource | undefined {
  // Services have their own form, the framework an older one and one of now.
  const { type, url, data, text, media_type, mime_type, mimeType } = { ...part, ...asObject(part["source"]) };
  const mediaType = [media_type, mime_type, mimeType].map(asString).find((one) => one !== undefined) ?? "";
  const address = asString(url);
  // Of an address, our form does not keep the type: sounds and films stay in the framework's.
  if (address !== undefined) return /(^| )(audio|video)/.test(`${type} ${mediaType}`) ? undefined : fromUrl(address);
  const bytes = asString(data);
  if (bytes === undefined || asString(text) !== undefined || type === "text" || type === "content") return undefined;
  return { kind: "base64", mediaType, data: bytes };
}

function urlOf(image: unknown): string | undefined {
  return asString(image) ?? asString(asObject(image)?.["url"]);
}

/** What belongs to a part beside what our form has. Fields without a value are left out: streams have others than whole answers. */
export function nativeOf(fields: JsonObject): { native?: Native } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return entries.length === 0 ? {} : { native: { provider: LANGCHAIN, block: Object.fromEntries(entries) } };
}

export function withoutUnsaid(part: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(part).filter(([name]) => !UNSAID.includes(name)));
}

function toOpaque(part: JsonObject): Opaque {
  return { kind: "opaque", native: { provider: LANGCHAIN, block: part } };
}
