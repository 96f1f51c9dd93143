// Reads responses and contents of Gemini.

import type { Block, Native } from "../../log/block.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { asCount, asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { splitResults, toUsage } from "../content.ts";
import type { ResponseContent } from "../provider.ts";
import { GEMINI, type GeminiResponse } from "./facts.ts";

/** Reads a whole response. */
export function readResponse(response: GeminiResponse): ResponseContent {
  const responseId = response.responseId ?? "";
  const candidate = asObject(response.candidates?.[0]);
  const blocks = readParts(asObject(candidate?.["content"])?.["parts"], (index) => callIdOf(responseId, index));
  const hasCalls = blocks.some(({ kind }) => kind === "tool_call");
  return {
    responseId,
    model: response.modelVersion ?? "",
    blocks,
    stop: candidate === undefined ? "refused" : readStop(candidate["finishReason"], hasCalls),
    usage: readUsage(asObject(response.usageMetadata) ?? {}),
  };
}

/**
 * Reads contents of any program, even malformed ones. A response without an id answers the next open call of its
 * function.
 */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  let open: Extract<Block, { kind: "tool_call" }>[] = [];
  return messages.flatMap((value, index) => {
    const message = asObject(value);
    if (message === undefined) return [];
    const { role, parts } = message;
    if (role === "model") {
      const blocks = readParts(parts, (place) => `call-${index}-${place}`);
      open = blocks.filter((block) => block.kind === "tool_call");
      return blocks.length === 0 ? [] : [{ role: "assistant", origin: "model", blocks }];
    }
    const blocks = (asList(parts) ?? []).flatMap((part): Block[] => {
      const response = asObject(asObject(part)?.["functionResponse"]);
      return response === undefined
        ? readParts([part], () => "")
        : [readFunctionResponse(response, takeCall(response))];
    });
    return splitResults(blocks, role === "user" || role === undefined ? "human" : "host");
  });

  function takeCall(response: JsonObject): string {
    const id = asString(response["id"]);
    if (id !== undefined) return id;
    const index = open.findIndex(({ name }) => name === response["name"]);
    const [call] = index < 0 ? [] : open.splice(index, 1);
    return call?.id ?? "";
  }
}

/**
 * Reads the parts of a content. Consecutive texts become one block, because streams split texts anywhere.
 * @param callId returns an id for the call at this index; Gemini 2.5 sends none
 */
function readParts(parts: unknown, callId: (index: number) => string): Block[] {
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

/** Joins texts to one block. A signature belongs to one part, so signed parts also stay separate in `native`. */
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

/** Returns an id for a tool call that the service sent without one. */
export function callIdOf(responseId: string, index: number): string {
  return `${responseId.replace(/[^\w-]/g, "")}-${index}`;
}

/**
 * Reads why a response ended. `CONTINUATION` counts as cut off: only the client's own loop can continue such an answer.
 */
function readStop(reason: unknown, hasCalls: boolean): ResponseContent["stop"] {
  switch (asString(reason)) {
    case "STOP":
      return hasCalls ? "tools" : "end";
    case "MAX_TOKENS":
    case "CONTINUATION":
      return "length";
    case "SAFETY":
    case "RECITATION":
    case "LANGUAGE":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
      return "refused";
    default:
      return "other";
  }
}

/**
 * Reads the usage. The prompt count includes cached tokens. Thoughts and candidates are separate counts of the output.
 */
export function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const thoughts = asCount(usage["thoughtsTokenCount"]) ?? 0;
  return toUsage({
    input: (asCount(usage["promptTokenCount"]) ?? 0) + (asCount(usage["toolUsePromptTokenCount"]) ?? 0),
    cacheRead: usage["cachedContentTokenCount"],
    cacheWrite: 0,
    output: (asCount(usage["candidatesTokenCount"]) ?? 0) + thoughts,
    reasoning: thoughts,
  });
}

/**
 * Reads a function response. Only the fields `output` and `error` have a meaning; any other response is output as a
 * whole.
 */
function readFunctionResponse({ response }: JsonObject, callId: string): Block {
  const { output, error } = asObject(response) ?? {};
  const result = error ?? output ?? response ?? "";
  const content = typeof result === "string" ? result : JSON.stringify(result);
  return { kind: "tool_result", callId, content, status: error === undefined ? "ok" : "error" };
}
