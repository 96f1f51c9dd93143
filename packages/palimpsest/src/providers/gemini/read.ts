import type { Block, Native } from "../../log/block.ts";
import { asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { GEMINI } from "./wire.ts";

/**
 * Reads the parts of a content. Texts that follow each other are one block, because streams divide them anywhere.
 * @param callId the id of the call at this place; Gemini 2.5 gives none
 */
export function readParts(parts: unknown, callId: (index: number) => string): Block[] {
  const blocks: Block[] = [];
  let texts: JsonObject[] = [];
  const flush = (): void => {
    if (texts.length > 0) blocks.push(...readTexts(texts));
    texts = [];
  };
  for (const [index, value] of (asList(parts) ?? []).entries()) {
    const part = typeof value === "string" ? { text: value } : asObject(value);
    if (part === undefined) continue;
    if (isText(part)) {
      if (texts.length > 0 && isThought(texts[0]!) !== isThought(part)) flush();
      texts.push(part);
      continue;
    }
    flush();
    const block = readPart(part, () => callId(index));
    if (block !== undefined) blocks.push(block);
  }
  flush();
  return blocks;
}

function isText(part: JsonObject): boolean {
  return typeof part["text"] === "string";
}

function isThought(part: JsonObject): boolean {
  return part["thought"] === true;
}

/** A signature belongs to one part, so parts with one are kept as they came, and others are joined around them. */
function readTexts(parts: readonly JsonObject[]): Block[] {
  const text = parts.map((part) => part["text"] as string).join("");
  const isSigned = parts.some((part) => part["thoughtSignature"] !== undefined);
  const native = isSigned ? { native: toNative(joinUnsigned(parts)) } : {};
  if (isThought(parts[0]!)) return [{ kind: "thinking", provider: GEMINI, text, ...native }];
  if (text !== "") return [{ kind: "text", text, ...native }];
  return native.native === undefined ? [] : [{ kind: "opaque", native: native.native }];
}

function joinUnsigned(parts: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isPlain = (one: JsonObject | undefined): one is JsonObject =>
      one !== undefined && one["thoughtSignature"] === undefined;
    if (isPlain(last) && isPlain(part)) joined[joined.length - 1] = { ...last, text: `${last["text"]}${part["text"]}` };
    else joined.push(part);
  }
  return joined;
}

function readPart(part: JsonObject, idOfCall: () => string): Block | undefined {
  const call = asObject(part["functionCall"]);
  if (call !== undefined) {
    const { args = {} } = call;
    const [id, name] = [asString(call["id"]) ?? idOfCall(), asString(call["name"]) ?? ""];
    const isSigned = part["thoughtSignature"] !== undefined;
    const native = isSigned ? { native: toNative([{ ...part, functionCall: { ...call, id } }]) } : {};
    return { kind: "tool_call", id, name, input: args, ...native };
  }
  const inline = asObject(part["inlineData"]);
  const [mediaType, data] = [asString(inline?.["mimeType"]), asString(inline?.["data"])];
  if (mediaType !== undefined && data !== undefined) {
    const kind = mediaType.startsWith("image/") ? "image" : "document";
    return { kind, source: { kind: "base64", mediaType, data } };
  }
  return Object.keys(part).length === 0 ? undefined : { kind: "opaque", native: toNative([part]) };
}

function toNative(parts: readonly JsonObject[]): Native {
  return { provider: GEMINI, block: parts };
}
