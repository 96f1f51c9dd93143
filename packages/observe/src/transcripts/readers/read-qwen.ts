/**
 * Reads Qwen Code's sessions (`~/.qwen/projects/<cwd>/chats/<session>.jsonl`, and those of its subagents).
 * In: lines. Out: messages in the form of the Gemini API, what each response used, compressions.
 * Left out: what only the display and the agent itself read (telemetry, titles, snapshots, commands).
 */
import { asCount, asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { createLineage } from "./create-lineage.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readPlacedRecords } from "./read-placed-records.ts";
import type { TranscriptRecord } from "./read-records.ts";
import type { RecordedEntry, RecordedKept, RecordedMessage, RecordedPosition, RecordedUsage } from "./recorded.ts";
import { toGeminiBlocks } from "./to-gemini-parts.ts";
import { toGeminiUsage } from "./to-gemini-usage.ts";

/** Memory grows with the number of lines (an id each), not with their size. */
export async function* readQwen(lines: TranscriptLines): AsyncGenerator<RecordedEntry> {
  const lineage = createLineage();
  for await (const read of readPlacedRecords(lines, { agent: "qwen", lineage })) {
    if (read.kind !== "placed") {
      yield read;
      continue;
    }
    const { record, position } = read;
    const entries = toEntries(record, position);
    if (entries.every((entry) => entry.kind === "damage")) lineage.skip(position.id, position.parentId);
    yield* entries;
  }
}

/** Subtypes of user messages that the agent wrote. */
const AGENT_SUBTYPES: ReadonlySet<unknown> = new Set(["notification", "cron", "goal_runtime", "agent_launch_prompt"]);

function toEntries({ fields, line }: TranscriptRecord, position: RecordedPosition): RecordedEntry[] {
  const { type, subtype } = fields;
  if (type === "system") return subtype === "chat_compression" ? toCompaction(fields, position) : [];
  if (type !== "user" && type !== "assistant" && type !== "tool_result") return [];
  const message = asObject(fields["message"]);
  // A response may have ended before its first text.
  if (message === undefined && type !== "assistant") return [{ kind: "damage", line, reason: "malformed" }];
  const blocks = toGeminiBlocks(message?.["parts"] ?? []);
  if (type === "assistant") {
    const response = { responseId: position.id, model: asString(fields["model"]) };
    const usage = toUsage(fields, position);
    return [
      { kind: "message", ...position, role: "assistant", origin: "model", blocks, ...response },
      ...(usage === undefined ? [] : [{ ...usage, ...response }]),
    ];
  }
  if (type === "tool_result") return [toResults(fields, { position, blocks })];
  const isAgent = AGENT_SUBTYPES.has(subtype) || fields["provenance"] === "system" || fields["isSidechain"] === true;
  return [{ kind: "message", ...position, role: "user", origin: isAgent ? "agent" : "human", blocks }];
}

/** The failure of a tool is recorded beside the message. */
function toResults(
  fields: JsonObject,
  { position, blocks }: { position: RecordedPosition; blocks: RecordedMessage["blocks"] },
): RecordedMessage {
  const status = asString(asObject(fields["toolCallResult"])?.["status"]);
  const told = status === undefined ? undefined : status === "success" ? "ok" : "error";
  return {
    kind: "message",
    ...position,
    role: "user",
    origin: "tool",
    blocks: blocks.map((block) =>
      block.kind === "tool_result" && told !== undefined ? { ...block, status: told } : block,
    ),
  };
}

function toUsage(fields: JsonObject, { id, branch, atMs }: RecordedPosition): RecordedUsage | undefined {
  const reported = asObject(fields["usageMetadata"]) ?? {};
  const counts = toGeminiUsage({
    prompt: reported["promptTokenCount"],
    candidates: reported["candidatesTokenCount"],
    cached: reported["cachedContentTokenCount"],
    thoughts: reported["thoughtsTokenCount"],
    toolUse: reported["toolUsePromptTokenCount"],
    total: reported["totalTokenCount"],
  });
  const windowTokens = asCount(fields["contextWindowSize"]);
  return counts && { kind: "usage", responseId: id, branch, atMs, ...counts, windowTokens };
}

function toCompaction(fields: JsonObject, position: RecordedPosition): RecordedEntry[] {
  const payload = asObject(fields["systemPayload"]) ?? {};
  const info = asObject(payload["info"]) ?? {};
  return [
    {
      kind: "compaction",
      ...position,
      trigger: "unknown",
      tokensBefore: asCount(info["originalTokenCount"]),
      tokensAfter: asCount(info["newTokenCount"]),
      kept: toKept(asList(payload["compressedHistory"]), position),
    },
  ];
}

/** The summary is the first message of the new history; the fake reply after it is not from a model. */
function toKept(history: readonly unknown[] | undefined, { id, branch, atMs }: RecordedPosition): RecordedKept {
  if (history === undefined) return { kind: "unrecorded" };
  const messages = history.map((value, index): RecordedMessage => {
    const content = asObject(value) ?? {};
    const blocks = toGeminiBlocks(content["parts"] ?? []);
    const isTool = blocks.some((block) => block.kind === "tool_result");
    const parentId = index === 0 ? id : `${id}/${index - 1}`;
    const common = { kind: "message", id: `${id}/${index}`, parentId, branch, atMs, blocks } as const;
    if (content["role"] === "model") return { ...common, role: "assistant", origin: index === 1 ? "agent" : "model" };
    return { ...common, role: "user", origin: index === 0 ? "summary" : isTool ? "tool" : "human" };
  });
  return { kind: "replacement", messages };
}
