// Reads messages of LangChain, as objects or as plain data.

import type { Block, SyncMessage, ToolResult } from "palimpsest";
import { type MessagePayload, toContent } from "palimpsest/provider-parts";
import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { readAdditionalFields } from "./read-additional-fields.ts";
import { contentFieldsOf, nativeOf, readAnswerPart, readShown } from "./read-part.ts";

/** Converts messages of the framework to a list that a session can adopt. */
export function toSyncMessages(messages: readonly object[]): readonly SyncMessage[] {
  return messages.flatMap((value): readonly SyncMessage[] => {
    const message = value as JsonObject;
    const role = roleOf(message);
    if (role === undefined) return [];
    const id = asString(message["id"]);
    const content = readContent(role, message);
    return [{ role: role === "tool" ? "user" : role, content, ...(id === undefined ? {} : { id }) }];
  });
}

/** Counts the results that a program marked as cleared. The framework's own context editing marks results like this. */
export function countCleared(messages: readonly object[]): number {
  return messages.filter((message) => {
    const { response_metadata: metadata } = message as JsonObject;
    return asObject(asObject(metadata)?.["context_editing"])?.["cleared"] === true;
  }).length;
}

/** Reads messages, as objects of the framework or as plain data, even malformed ones. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value): readonly MessagePayload[] => {
    const message = asObject(value);
    const role = message && roleOf(message);
    if (message === undefined || role === undefined) return [];
    const blocks = readContent(role, message);
    if (blocks.length === 0) return [];
    if (role === "assistant") return [{ role, origin: "model", blocks }];
    const origin = role === "tool" ? "tool" : role === "user" ? "human" : "host";
    return [{ role: "user", origin, blocks }];
  });
}

function roleOf(message: JsonObject): (typeof ROLES)[string] | undefined {
  const name = [message["type"], message["role"]].map(asString).find((one) => Object.hasOwn(ROLES, one ?? ""));
  return name === undefined ? undefined : ROLES[name];
}

/** The roles by their names in the framework, and in plain data of other programs. */
const ROLES: Readonly<Record<string, "system" | "user" | "assistant" | "tool">> = {
  system: "system",
  developer: "system",
  human: "user",
  user: "user",
  ai: "assistant",
  assistant: "assistant",
  tool: "tool",
};

function readContent(role: "system" | "user" | "assistant" | "tool", message: JsonObject): readonly Block[] {
  if (role === "assistant") return readAnswer(message);
  const shown = partsOf(message).flatMap(readShown);
  if (role !== "tool") return shown;
  const callId = asString(message["tool_call_id"]) ?? "";
  const status = message["status"] === "error" ? "error" : "ok";
  return [{ kind: "tool_result", callId, content: toContent(shown), status } satisfies ToolResult];
}

/** Reads the model's blocks. A call keeps the place of its part. Calls without a part follow at the end. */
export function readAnswer(message: JsonObject): readonly Block[] {
  const calls = new Map(
    (asList(message["tool_calls"]) ?? []).map((call) => [asString(asObject(call)?.["id"]) ?? "", asObject(call) ?? {}]),
  );
  const take = (id: string, part?: JsonObject): readonly Block[] => {
    const call = calls.get(id);
    // A part without a parsed call is left out: nothing runs the call, and services refuse a call without a result.
    if (call === undefined) return [];
    calls.delete(id);
    const { input: _, ...native } = part === undefined ? {} : contentFieldsOf(part);
    const name = asString(call["name"]) ?? "";
    return [{ kind: "tool_call", id, name, input: call["args"] ?? {}, ...nativeOf(native) }];
  };
  const blocks = partsOf(message).flatMap((part) => {
    const type = asString(part["type"]) ?? "";
    if (!CALL_PARTS.includes(type)) return readAnswerPart(part);
    return type === "input_json_delta" ? [] : take(asString(part["id"]) ?? "", type === "tool_use" ? part : undefined);
  });
  return [...readAdditionalFields(message), ...blocks, ...[...calls.keys()].flatMap((id) => take(id))];
}

/** The types of parts that announce a call. The message also has the parsed calls. */
const CALL_PARTS: readonly string[] = ["tool_use", "tool_call", "tool_call_chunk", "input_json_delta"];

function partsOf({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (asList(content) ?? []).flatMap((part): readonly JsonObject[] => {
    if (typeof part === "string") return [{ type: "text", text: part }];
    const object = asObject(part);
    return object === undefined ? [] : [object];
  });
}
