// Reads messages of opencode.

import type { Block, Part, SyncMessage } from "palimpsest";
import { fromUrl, type MessagePayload, type Native, toContent } from "palimpsest/provider-parts";
import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { type Author, OPENCODE, type OpencodeMessage } from "./wire.ts";

/** Converts messages of opencode to a list that a session can adopt. The results of calls are in the message with the calls. */
export function toSyncMessages(messages: readonly OpencodeMessage[]): readonly SyncMessage[] {
  return messages.flatMap((message): readonly SyncMessage[] => {
    const { blocks, results } = readContent(message);
    const content = [...blocks, ...results];
    if (content.length === 0) return [];
    const id = asString(message.info["id"]);
    return isAnswer(message)
      ? [{ role: "assistant", content, ...(id === undefined ? {} : { id }) }]
      : [{ role: "user", content }];
  });
}

/** Removes reminders from messages. Returns the reminders of the newest user message, which are sent but not recorded. */
export function separateReminders(messages: readonly OpencodeMessage[]): {
  readonly kept: readonly OpencodeMessage[];
  readonly reminders: readonly JsonObject[];
} {
  const isReminder = ({ synthetic, text }: JsonObject): boolean =>
    synthetic === true && REMINDER.test(asString(text) ?? "");
  const newest = messages.findLast((message) => !isAnswer(message));
  return {
    kept: messages.map(({ info, parts }) => ({ info, parts: parts.filter((part) => !isReminder(part)) })),
    reminders: newest?.parts.filter(isReminder) ?? [],
  };
}

/** Matches a reminder. opencode adds reminders to the newest user message for one request, and does not keep them. */
const REMINDER = /^<system-reminder>\n(?:# Plan Mode|Your operational mode has changed)/;

/** Counts the results that opencode itself has cleared. */
export function countCleared(messages: readonly OpencodeMessage[]): number {
  return messages.flatMap(({ parts }) => parts).filter((part) => isCleared(stateOf(part))).length;
}

/** Reads messages, even malformed ones. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value): readonly MessagePayload[] => {
    const info = asObject(asObject(value)?.["info"]) ?? {};
    const parts = (asList(asObject(value)?.["parts"]) ?? []).map(asObject).filter((part) => part !== undefined);
    const message = { info, parts };
    const { blocks, results } = readContent(message);
    const written: readonly MessagePayload[] =
      blocks.length === 0
        ? []
        : [
            isAnswer(message)
              ? { role: "assistant", origin: "model", blocks }
              : { role: "user", origin: "human", blocks },
          ];
    return [
      ...written,
      ...results.map((result): MessagePayload => ({ role: "user", origin: "tool", blocks: [result] })),
    ];
  });
}

/** Reads the model's blocks. */
export function readAnswer({ info, parts }: OpencodeMessage): readonly Block[] {
  const author = authorOf(info);
  return parts.flatMap((part): readonly Block[] => {
    const { type, text, metadata } = part;
    const own = nativeOf({ metadata, author });
    if (type === "text" && text !== "") return [{ kind: "text", text: asString(text) ?? "", ...(metadata ? own : {}) }];
    if (type === "reasoning") return [{ kind: "thinking", provider: OPENCODE, text: asString(text) ?? "", ...own }];
    if (type !== "tool") return [];
    const [id, name] = [asString(part["callID"]) ?? "", asString(part["tool"]) ?? ""];
    return [{ kind: "tool_call", id, name, input: stateOf(part)["input"] ?? {}, ...own }];
  });
}

function readContent(message: OpencodeMessage): { blocks: readonly Block[]; results: readonly Block[] } {
  const { info, parts } = message;
  if (!isAnswer(message)) return { blocks: info["role"] === "user" ? parts.flatMap(readInput) : [], results: [] };
  if (!isSentBack(message)) return { blocks: [], results: [] };
  return { blocks: readAnswer(message), results: parts.flatMap(readResult) };
}

function readInput(part: JsonObject): readonly Part[] {
  const { type, ignored } = part;
  const text = type === "text" && ignored !== true ? asString(part["text"]) : STAND_INS[asString(type) ?? ""];
  if (text !== undefined) return text === "" ? [] : [{ kind: "text", text }];
  return type === "file" ? readFile(part) : [];
}

/** The texts that opencode sends in place of some parts. */
const STAND_INS: Readonly<Record<string, string>> = {
  compaction: "What did we do so far?",
  subtask: "The following tool was executed by the user",
};
const CLEARED = "[Old tool result content cleared]";
const INTERRUPTED = "[Tool execution was interrupted]";

/** Reads a file. Skips text files and folders, because opencode also sends them as text. */
function readFile(part: JsonObject): readonly Part[] {
  const [mime, url] = [asString(part["mime"]) ?? "", asString(part["url"]) ?? ""];
  if (mime === "text/plain" || mime === "application/x-directory" || !/^(https?|data):/.test(url)) return [];
  return [{ kind: mime.startsWith("image/") ? "image" : "document", source: fromUrl(url) }];
}

function readResult(part: JsonObject): readonly Block[] {
  if (part["type"] !== "tool") return [];
  const callId = asString(part["callID"]) ?? "";
  const state = stateOf(part);
  if (state["status"] === "completed") {
    const files = isCleared(state) ? [] : (asList(state["attachments"]) ?? []);
    const text = isCleared(state) ? CLEARED : (asString(state["output"]) ?? "");
    const shown = files.flatMap((file) => readFile(asObject(file) ?? {}));
    const content = toContent([...(text === "" ? [] : [{ kind: "text" as const, text }]), ...shown]);
    return [{ kind: "tool_result", callId, content, status: "ok" }];
  }
  const { interrupted, output } = asObject(state["metadata"]) ?? {};
  if (state["status"] === "error" && interrupted === true && typeof output === "string")
    return [{ kind: "tool_result", callId, content: output, status: "ok" }];
  const content = state["status"] === "error" ? (asString(state["error"]) ?? "") : INTERRUPTED;
  return [{ kind: "tool_result", callId, content, status: "error" }];
}

/** Whether opencode sends an answer back. It drops failed answers, and keeps the text and calls of interrupted ones. */
function isSentBack({ info, parts }: OpencodeMessage): boolean {
  if (info["error"] === undefined) return true;
  const isStopped = asObject(info["error"])?.["name"] === "MessageAbortedError";
  return isStopped && parts.some(({ type }) => type !== "step-start" && type !== "reasoning");
}

function stateOf(part: JsonObject): JsonObject {
  return asObject(part["state"]) ?? {};
}

function isCleared(state: JsonObject): boolean {
  return asObject(state["time"])?.["compacted"] !== undefined;
}

function isAnswer({ info }: OpencodeMessage): boolean {
  return info["role"] === "assistant";
}

function authorOf({ providerID, modelID }: JsonObject): Author | undefined {
  if (typeof providerID !== "string" || typeof modelID !== "string") return undefined;
  return { providerID, modelID };
}

function nativeOf(fields: JsonObject): { native?: Native } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? {} : { native: { provider: OPENCODE, block: Object.fromEntries(entries) } };
}
