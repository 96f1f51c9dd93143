// Reads items of the SDK.

import type { Block, Part, SyncMessage } from "palimpsest";
import {
  fromUrl,
  type Media,
  type MediaSource,
  type MessagePayload,
  type Native,
  parseInput,
  toContent,
} from "palimpsest/provider-parts";
import { asList, asObject, asString, type JsonObject, present } from "palimpsest/schema";
import { AGENTS } from "./wire.ts";

type Role = SyncMessage["role"];

/** Converts a list of the SDK to a list that a session can adopt. The items of one answer become one message. */
export function toSyncMessages(instructions: string | undefined, items: readonly unknown[]): readonly SyncMessage[] {
  const messages: { role: Role; content: Block[] }[] = [];
  if (instructions) messages.push({ role: "system", content: [{ kind: "text", text: instructions }] });
  let isOpen = false;
  for (const { role, blocks } of items.flatMap(readItem)) {
    if (role === "assistant" && isOpen) messages.at(-1)!.content.push(...blocks);
    else messages.push({ role, content: [...blocks] });
    isOpen = role === "assistant";
  }
  return messages;
}

/** Reads items, even malformed ones. Consecutive items of the model become one message. */
export function readMessages(items: readonly unknown[]): readonly MessagePayload[] {
  return toSyncMessages(undefined, items).flatMap(({ role, content }): readonly MessagePayload[] => {
    const blocks = content as readonly Block[];
    if (blocks.length === 0) return [];
    if (role === "assistant") return [{ role, origin: "model", blocks }];
    const isResult = blocks.some(({ kind }) => kind === "tool_result");
    return [{ role: "user", origin: isResult ? "tool" : role === "user" ? "human" : "host", blocks }];
  });
}

/** Reads the blocks of the model's items. */
export function readOutput(items: readonly unknown[]): readonly Block[] {
  return items.flatMap(readItem).flatMap(({ role, blocks }) => (role === "assistant" ? blocks : []));
}

interface ReadItem {
  readonly role: Role;
  readonly blocks: readonly Block[];
}

function readItem(value: unknown): readonly ReadItem[] {
  const item = asObject(value);
  if (item === undefined) return [];
  const type = asString(item["type"]) ?? (asString(item["role"]) === undefined ? "" : "message");
  switch (type) {
    case "":
      return [];
    case "message":
      return readMessage(item);
    case "function_call":
      return [{ role: "assistant", blocks: [readCall(item)] }];
    case "function_call_result":
      return [{ role: "user", blocks: [readResult(item)] }];
    case "reasoning":
      return [{ role: "assistant", blocks: [readReasoning(item)] }];
    default:
      return [{ role: "assistant", blocks: [{ kind: "opaque", native: toNative(item) }] }];
  }
}

function readMessage(item: JsonObject): readonly ReadItem[] {
  const { role, content, phase } = item;
  if (role === "assistant") {
    const parts = typeof content === "string" ? [{ type: "output_text", text: content }] : (asList(content) ?? []);
    const blocks = parts.flatMap((part) => readAnswerPart(asObject(part) ?? {}, asString(phase)));
    return blocks.length === 0 ? [] : [{ role, blocks }];
  }
  if (role !== "user" && role !== "system") return [];
  const blocks = readParts(content);
  return blocks.length === 0 ? [] : [{ role, blocks }];
}

/** Reads a part of an answer. Drops the annotations of texts, because they mean nothing to the model. */
function readAnswerPart(part: JsonObject, phase: string | undefined): readonly Block[] {
  const text = asString(part["text"]) ?? asString(part["refusal"]) ?? "";
  if (part["type"] === "output_text" || part["type"] === "refusal") {
    const own = {
      ...(part["type"] === "refusal" ? { type: "refusal" } : {}),
      ...(phase === undefined ? {} : { phase }),
    };
    return text === ""
      ? []
      : [{ kind: "text", text, ...(Object.keys(own).length === 0 ? {} : { native: toNative(own) }) }];
  }
  return asString(part["type"]) === undefined ? [] : [{ kind: "opaque", native: toNative({ part }) }];
}

/** Reads a call. Keeps the original text of its input only if our form would be written differently. */
function readCall(item: JsonObject): Block {
  const text = asString(item["arguments"]) ?? "";
  const input = parseInput(text);
  const { namespace, caller } = item;
  const own = {
    ...(JSON.stringify(input) === text ? {} : { arguments: text }),
    ...(typeof namespace === "string" ? { namespace } : {}),
    ...(caller === undefined ? {} : { caller }),
  };
  return {
    kind: "tool_call",
    id: asString(item["callId"]) ?? "",
    name: asString(item["name"]) ?? "",
    input,
    ...(Object.keys(own).length === 0 ? {} : { native: toNative(own) }),
  };
}

function readResult(item: JsonObject): Block {
  const callId = asString(item["callId"]) ?? "";
  return { kind: "tool_result", callId, content: toContent(readParts(item["output"])), status: "ok" };
}

/** Reads reasoning. Only encrypted reasoning is sent back: other reasoning refers to an item that the service may lack. */
function readReasoning(item: JsonObject): Block {
  const data = asObject(item["providerData"]) ?? {};
  const isSealed = [data["encrypted_content"], data["encryptedContent"]].some((seal) => typeof seal === "string");
  const texts = (asList(item["content"]) ?? []).map((part) => asString(asObject(part)?.["text"]) ?? "");
  const text = texts.filter(Boolean).join("\n\n");
  return { kind: "thinking", provider: AGENTS, text, ...(isSealed ? { native: toNative(item) } : {}) };
}

function readParts(content: unknown): readonly Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  const parts = asList(content) ?? (asObject(content) === undefined ? [] : [content]);
  return parts.flatMap((part) => readPart(asObject(part) ?? {}));
}

function readPart(part: JsonObject): readonly Part[] {
  const type = asString(part["type"]);
  if (type === undefined) return [];
  if (type === "input_text" || type === "text") {
    const text = asString(part["text"]) ?? "";
    return text === "" ? [] : [{ kind: "text", text }];
  }
  const { promptCacheBreakpoint: _, ...content } = part;
  return [toMedia(type, part) ?? { kind: "opaque", native: toNative(content) }];
}

function toMedia(type: string, part: JsonObject): Media | undefined {
  const isImage = type === "input_image" || type === "image";
  if (!isImage && type !== "input_file" && type !== "file") return undefined;
  const value = isImage ? (part["image"] ?? part["imageUrl"]) : part["file"];
  const source = toSource(value, isImage ? "image/png" : "application/pdf");
  const { detail, filename } = part;
  const own = present({ detail, filename });
  const native = Object.keys(own).length === 0 ? {} : { native: toNative(own) };
  return source && { kind: isImage ? "image" : "document", source, ...native };
}

/** Reads a URL, a data URL, or bytes; undefined for other sources, which only the service knows. */
function toSource(value: unknown, usualType: string): MediaSource | undefined {
  const { data, url, mediaType } = asObject(value) ?? {};
  const bytes = asString(data);
  if (bytes !== undefined) return { kind: "base64", mediaType: asString(mediaType) ?? usualType, data: bytes };
  const address = asString(value) ?? asString(url) ?? "";
  return /^(https?|data):/.test(address) ? fromUrl(address) : undefined;
}

function toNative(block: JsonObject): Native {
  return { provider: AGENTS, block };
}
