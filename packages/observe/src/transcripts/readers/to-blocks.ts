import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import type { RecordedBlock, RecordedPart } from "./recorded.ts";

/**
 * Reads message content, a text or a list of blocks. One reader is enough: the names that Claude Code, Codex, pi and
 * cline use never conflict.
 */
export function toBlocks(content: unknown): RecordedBlock[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return (asList(content) ?? []).map(toBlock);
}

/** Reads the content of a tool result. */
export function toParts(content: unknown): string | RecordedPart[] {
  if (typeof content === "string") return content;
  return (asList(content) ?? []).map(toPart);
}

function toBlock(value: unknown): RecordedBlock {
  const block = asObject(value) ?? {};
  switch (block["type"]) {
    case "thinking":
      return {
        kind: "thinking",
        text: asString(block["thinking"]) ?? "",
        signature: asString(block["signature"] ?? block["thinkingSignature"]),
      };
    case "tool_use":
    case "toolCall":
      return {
        kind: "tool_call",
        callId: asString(block["id"]) ?? "",
        name: asString(block["name"]) ?? "",
        input: block["input"] ?? block["arguments"],
      };
    case "tool_result":
      return {
        kind: "tool_result",
        callId: asString(block["tool_use_id"]) ?? "",
        content: toParts(block["content"]),
        status: block["is_error"] === true ? "error" : "ok",
      };
    default:
      return toPart(value);
  }
}

function toPart(value: unknown): RecordedPart {
  const block = asObject(value) ?? {};
  const type = asString(block["type"]) ?? "unknown";
  const text = asString(block["text"]);
  if (text !== undefined && ["text", "input_text", "output_text"].includes(type)) return { kind: "text", text };
  const base64 = toBase64(block);
  if (base64 !== undefined && ["image", "input_image", "document"].includes(type)) {
    const kind = type === "document" ? "document" : "image";
    return { kind, mediaType: base64.mediaType, sizeBytes: sizeOfBase64(base64.characters) };
  }
  return { kind: "opaque", type, value };
}

/** Media are in `source` (Claude Code), in `data` (pi, cline) or in a data URL (Codex). */
function toBase64(block: JsonObject): { mediaType: string; characters: string } | undefined {
  const source = asObject(block["source"]);
  if (source?.["type"] === "text") return undefined;
  const data = asString(source?.["data"] ?? block["data"]);
  if (data !== undefined) {
    const mediaType = asString(source?.["media_type"] ?? block["mimeType"] ?? block["mediaType"]) ?? "unknown";
    return { mediaType, characters: data };
  }
  return fromDataUrl(asString(block["image_url"]));
}

/** Returns undefined for any other URL. */
export function fromDataUrl(url: string | undefined): { mediaType: string; characters: string } | undefined {
  const comma = url?.indexOf(";base64,") ?? -1;
  if (url === undefined || !url.startsWith("data:") || comma === -1) return undefined;
  return { mediaType: url.slice("data:".length, comma), characters: url.slice(comma + ";base64,".length) };
}

/** Without padding, the size is exact. */
export function sizeOfBase64(characters: string): number {
  return Math.floor((characters.replace(/={1,2}$/, "").length * 3) / 4);
}
