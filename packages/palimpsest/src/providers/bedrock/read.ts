import type { Block, Native, Part } from "../../log/block.ts";
import { asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { toBase64 } from "../content.ts";
import { toContent } from "../to-content.ts";
import { BEDROCK } from "./wire.ts";

/** Reads the content of a response, or of a message that another program wrote. Cache points are not content. */
export function readBlocks(content: unknown): Block[] {
  return (asList(content) ?? [content]).flatMap((value) => readBlock(value) ?? []);
}

function readBlock(value: unknown): Block | undefined {
  const block = typeof value === "string" ? { text: value } : asObject(value);
  if (block === undefined) return undefined;
  const { toolUse, toolResult, reasoningContent } = block;
  const reasoning = asObject(reasoningContent);
  if (reasoning !== undefined) return readReasoning(reasoning);
  const call = asObject(toolUse);
  if (call !== undefined) {
    const [id, name] = [asString(call["toolUseId"]) ?? "", asString(call["name"]) ?? ""];
    return { kind: "tool_call", id, name, input: call["input"] ?? {} };
  }
  const result = asObject(toolResult);
  if (result !== undefined) {
    const content = toContent((asList(result["content"]) ?? []).flatMap((part) => readPart(part) ?? []));
    const status = result["status"] === "error" ? "error" : "ok";
    return { kind: "tool_result", callId: asString(result["toolUseId"]) ?? "", content, status };
  }
  return readPart(block);
}

function readReasoning(reasoning: JsonObject): Block {
  const { text, signature } = asObject(reasoning["reasoningText"]) ?? {};
  const said = asString(text) ?? "";
  // Thinking without a signature is kept for reading and never sent back.
  if (reasoning["redactedContent"] === undefined) {
    const signed = typeof signature === "string" && signature !== "" ? { signature } : {};
    return { kind: "thinking", provider: BEDROCK, text: said, ...signed };
  }
  const redactedContent = toText(reasoning["redactedContent"]) ?? "";
  return {
    kind: "thinking",
    provider: BEDROCK,
    text: said,
    native: toNative({ reasoningContent: { redactedContent } }),
  };
}

function readPart(value: unknown): Part | undefined {
  const block = typeof value === "string" ? { text: value } : asObject(value);
  if (block === undefined || Object.keys(block).length === 0 || block["cachePoint"] !== undefined) return undefined;
  const { text, json } = block;
  if (typeof text === "string") return { kind: "text", text };
  if (json !== undefined) return { kind: "text", text: JSON.stringify(json) };
  return readMedia(block) ?? { kind: "opaque", native: toNative(block) };
}

function readMedia({ image, document }: JsonObject): Part | undefined {
  const media = asObject(image) ?? asObject(document);
  const format = asString(media?.["format"]);
  const data = toText(asObject(media?.["source"])?.["bytes"]);
  if (format === undefined || data === undefined) return undefined;
  const kind = asObject(image) === undefined ? "document" : "image";
  const mediaType = kind === "image" ? `image/${format}` : (DOCUMENT_TYPES[format] ?? "text/plain");
  return { kind, source: { kind: "base64", mediaType, data } };
}

const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  csv: "text/csv",
  html: "text/html",
  md: "text/markdown",
};

/** Base64 text; the client has bytes instead. */
function toText(value: unknown): string | undefined {
  return value instanceof Uint8Array ? toBase64(value) : asString(value);
}

function toNative(block: JsonObject): Native {
  return { provider: BEDROCK, block };
}
