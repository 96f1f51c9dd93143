// Reads messages of pi.

import type { Block, Part, SyncMessage } from "palimpsest";
import { type MessagePayload, type Native, toContent } from "palimpsest/provider-parts";
import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { type Author, PI } from "./wire.ts";

/** Converts a transcript to a list that a session can adopt, without system messages. */
export function toSyncMessages(messages: readonly unknown[]): readonly SyncMessage[] {
  return messages.flatMap((value): readonly SyncMessage[] => {
    const message = asObject(value) ?? {};
    const content = readContent(message);
    if (content.length === 0) return [];
    const id = asString(message["responseId"]);
    const role = message["role"] === "assistant" ? "assistant" : "user";
    return [{ role, content, ...(id === undefined ? {} : { id }) }];
  });
}

/** Reads messages, even malformed ones. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value): readonly MessagePayload[] => {
    const message = asObject(value) ?? {};
    const blocks = readContent(message);
    if (blocks.length === 0) return [];
    if (message["role"] === "assistant") return [{ role: "assistant", origin: "model", blocks }];
    return [{ role: "user", origin: message["role"] === "toolResult" ? "tool" : "human", blocks }];
  });
}

function readContent(message: JsonObject): readonly Block[] {
  switch (message["role"]) {
    case "user":
      return partsOf(message).flatMap(readShown);
    case "assistant":
      return FAILED.includes(message["stopReason"]) ? [] : readAnswer(message);
    case "toolResult": {
      const callId = asString(message["toolCallId"]) ?? "";
      const status = message["isError"] === true ? "error" : "ok";
      return [{ kind: "tool_result", callId, content: toContent(partsOf(message).flatMap(readShown)), status }];
    }
    default:
      return [];
  }
}

/** The reasons to stop of incomplete answers. pi does not send such answers back either. */
const FAILED: readonly unknown[] = ["error", "aborted"];

/** Reads the model's blocks. A block that only its author can read keeps the author. */
export function readAnswer(message: JsonObject): readonly Block[] {
  const author = authorOf(message);
  return partsOf(message).flatMap((part): readonly Block[] => {
    switch (part["type"]) {
      case "text": {
        const text = asString(part["text"]) ?? "";
        const { textSignature } = part;
        if (text === "") return [];
        return [{ kind: "text", text, ...(textSignature === undefined ? {} : nativeOf({ textSignature, author })) }];
      }
      case "thinking": {
        const { thinkingSignature, redacted } = part;
        const own = { thinkingSignature, redacted, author };
        return [{ kind: "thinking", provider: PI, text: asString(part["thinking"]) ?? "", ...nativeOf(own) }];
      }
      case "toolCall":
        return [readCall(part, author)];
      default:
        return [];
    }
  });
}

function readCall({ id, name, arguments: input, thoughtSignature, namespace }: JsonObject, author?: Author): Block {
  const own = { thoughtSignature, namespace, author };
  return {
    kind: "tool_call",
    id: asString(id) ?? "",
    name: asString(name) ?? "",
    input: input ?? {},
    ...nativeOf(own),
  };
}

function authorOf({ api, provider, model, providerThinkingLevel: level }: JsonObject): Author | undefined {
  if (typeof model !== "string" || model === "") return undefined;
  const own = typeof level === "string" ? { providerThinkingLevel: level } : {};
  return { api: asString(api) ?? "", provider: asString(provider) ?? "", model, ...own };
}

/** Keeps the fields of a block that our form lacks. */
function nativeOf(fields: JsonObject): { native?: Native } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return entries.length === 0 ? {} : { native: { provider: PI, block: Object.fromEntries(entries) } };
}

function readShown(part: JsonObject): readonly Part[] {
  const [text, data, mediaType] = [part["text"], part["data"], part["mimeType"]].map(asString);
  if (part["type"] === "text") return text === undefined || text === "" ? [] : [{ kind: "text", text }];
  if (part["type"] !== "image" || data === undefined) return [];
  return [{ kind: "image", source: { kind: "base64", mediaType: mediaType ?? "image/png", data } }];
}

function partsOf({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (asList(content) ?? []).map(asObject).filter((part) => part !== undefined);
}
