import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type {
  RecordedBlock,
  RecordedMessage,
  RecordedPosition,
  RecordedToolResult,
  RecordedUsage,
} from "./recorded.ts";
import { toGeminiBlocks, toGeminiCall, toGeminiResult } from "./to-gemini-parts.ts";
import { toGeminiUsage } from "./to-gemini-usage.ts";

/** Converts a message of Gemini CLI into entries: its text, its usage, and the results of its tools. */
export function toGeminiEntries(fields: JsonObject, position: RecordedPosition): (RecordedMessage | RecordedUsage)[] {
  const blocks = toGeminiBlocks(fields["content"]);
  if (fields["type"] === "user") {
    const isResult = blocks.some((block) => block.kind === "tool_result");
    return [{ kind: "message", ...position, role: "user", origin: isResult ? "tool" : "human", blocks }];
  }
  return fields["type"] === "gemini" ? toResponse(fields, { position, blocks }) : [];
}

/** Returns the length of the result of each call in a message. */
export function* resultSizes(fields: JsonObject): Generator<[callId: string, size: number]> {
  for (const call of callsOf(fields)) {
    if (call["result"] !== undefined) yield [asString(call["id"]) ?? "", JSON.stringify(call["result"]).length];
  }
}

function toResponse(
  fields: JsonObject,
  { position, blocks }: { position: RecordedPosition; blocks: RecordedBlock[] },
): (RecordedMessage | RecordedUsage)[] {
  const calls = callsOf(fields);
  const callIds = new Set(calls.map((call) => asString(call["id"])));
  // A replaced history also has calls among the parts.
  const said = blocks.filter((block) => block.kind !== "tool_call" || !callIds.has(block.callId));
  const response = { responseId: position.id, model: asString(fields["model"]) };
  const usage = toUsage(fields, position);
  const results = calls.flatMap(toResult);
  const endedAtMs = Math.max(position.atMs, ...calls.map((call) => asTimeMs(call["timestamp"]) ?? 0));
  const resultPosition = { ...position, id: `${position.id}/results`, parentId: position.id, atMs: endedAtMs };
  return [
    {
      kind: "message",
      ...position,
      role: "assistant",
      origin: "model",
      ...response,
      blocks: [...toThoughts(fields), ...said, ...calls.map(toGeminiCall)],
    },
    ...(usage === undefined ? [] : [{ ...usage, ...response }]),
    ...(results.length === 0
      ? []
      : [{ kind: "message", ...resultPosition, role: "user", origin: "tool", blocks: results } as const]),
  ];
}

function callsOf(fields: JsonObject): JsonObject[] {
  return (asList(fields["toolCalls"]) ?? []).map((call) => asObject(call) ?? {});
}

function toThoughts(fields: JsonObject): RecordedBlock[] {
  return (asList(fields["thoughts"]) ?? []).map((value) => {
    const thought = asObject(value) ?? {};
    const texts = [asString(thought["subject"]), asString(thought["description"])].filter((text) => text);
    return { kind: "thinking", text: texts.join("\n") };
  });
}

/** An unanswered call has no result; a denied or stopped call has one that says so. */
function toResult(call: JsonObject): RecordedToolResult[] {
  const { result } = call;
  if (result === undefined || result === null) return [];
  const callId = asString(call["id"]) ?? "";
  const status = call["status"] === "success" ? "ok" : call["status"] === undefined ? "unknown" : "error";
  if (typeof result === "string") return [{ kind: "tool_result", callId, content: result, status }];
  const parts = (asList(result) ?? [result]).map((part) => asObject(part) ?? {});
  const response = asObject(parts.find((part) => part["functionResponse"] !== undefined)?.["functionResponse"]);
  const beside = parts
    .filter((part) => part["functionResponse"] === undefined)
    .flatMap(toGeminiBlocks)
    .filter((block) => block.kind !== "thinking" && block.kind !== "tool_call" && block.kind !== "tool_result");
  const { content } = toGeminiResult(response ?? {});
  const whole = typeof content === "string" ? [{ kind: "text", text: content } as const] : content;
  return [{ kind: "tool_result", callId, content: beside.length === 0 ? content : [...whole, ...beside], status }];
}

function toUsage(fields: JsonObject, { branch, atMs, id }: RecordedPosition): RecordedUsage | undefined {
  const tokens = asObject(fields["tokens"]) ?? {};
  const counts = toGeminiUsage({
    prompt: tokens["input"],
    candidates: tokens["output"],
    cached: tokens["cached"],
    thoughts: tokens["thoughts"],
    toolUse: tokens["tool"],
    total: tokens["total"],
  });
  return counts && { kind: "usage", responseId: id, branch, atMs, ...counts };
}
