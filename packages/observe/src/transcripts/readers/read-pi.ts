/**
 * Reads pi's session files (`~/.pi/agent/sessions/<cwd>/*.jsonl`), versions 1 to 3. Version 1 is a list, later ones a tree.
 * In: lines. Out: messages, what each response used, compactions.
 * Left out: settings changes, labels, extensions' own notes.
 */

import { asCount, asObject, asString, type JsonObject, present } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import { createLineage } from "./create-lineage.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readRecords, type TranscriptRecord } from "./read-records.ts";
import type {
  RecordedBlock,
  RecordedEntry,
  RecordedMessage,
  RecordedPosition,
  RecordedSession,
  RecordedUsage,
} from "./recorded.ts";
import { toBlocks, toParts } from "./to-blocks.ts";

/** Memory grows with the number of lines (an id each), not with their size. */
export async function* readPi(lines: TranscriptLines): AsyncGenerator<RecordedEntry> {
  const lineage = createLineage();
  const seen = new Set<string>();
  let session: RecordedSession | undefined;
  let previousId: string | undefined;
  let atMs = 0;

  for await (const record of readRecords(lines)) {
    if (record.kind === "damage") {
      yield record;
      continue;
    }
    const { fields, index } = record;
    atMs = asTimeMs(fields["timestamp"]) ?? atMs;
    if (fields["type"] === "session") {
      if (session !== undefined) continue;
      session = toSession(fields, atMs);
      yield session;
      continue;
    }
    const id = asString(fields["id"]) ?? `entry-${index}`;
    if (seen.has(id)) continue;
    seen.add(id);
    const parentId = lineage.resolve("parentId" in fields ? asString(fields["parentId"]) : previousId);
    // A fork copies entries with their times, and its header is written last.
    const isCopy = session?.parentSession !== undefined && atMs < session.startedAtMs;
    const position: RecordedPosition = { id, parentId, branch: isCopy ? "inherited" : "main", atMs };
    const entries = toEntries(record, position);
    if (entries.every((entry) => entry.kind === "damage")) lineage.skip(id, parentId);
    yield* entries;
    previousId = id;
  }
}

function toSession(fields: JsonObject, atMs: number): RecordedSession {
  return {
    kind: "session",
    agent: "pi",
    id: asString(fields["id"]) ?? "unknown",
    startedAtMs: atMs,
    version: String(asCount(fields["version"]) ?? 1),
    cwd: asString(fields["cwd"]),
    parentSession: asString(fields["parentSession"]) ?? asString(fields["branchedFrom"]),
  };
}

function toEntries({ fields, line }: TranscriptRecord, position: RecordedPosition): RecordedEntry[] {
  switch (fields["type"]) {
    case "message": {
      const message = asObject(fields["message"]);
      return message === undefined ? [{ kind: "damage", line, reason: "malformed" }] : toMessages(message, position);
    }
    case "custom_message":
      return [toInjected(position, toBlocks(fields["content"]))];
    case "branch_summary":
      return [toSummary(position, fields)];
    case "compaction":
      return toCompaction(fields, position);
    default:
      return [];
  }
}

function toMessages(message: JsonObject, position: RecordedPosition): RecordedEntry[] {
  const blocks = toBlocks(message["content"]);
  switch (message["role"]) {
    case "user":
      return [{ kind: "message", ...position, role: "user", origin: "human", blocks }];
    case "assistant": {
      const responseId = asString(message["responseId"]) ?? position.id;
      const model = present({ model: asString(message["model"]) });
      const usage = toUsage(message, { ...position, responseId, ...model });
      const entry = { kind: "message", ...position, role: "assistant", origin: "model", blocks, responseId } as const;
      return [{ ...entry, ...model }, ...(usage === undefined ? [] : [usage])];
    }
    case "toolResult": {
      const callId = asString(message["toolCallId"]) ?? "";
      const status = message["isError"] === true ? "error" : "ok";
      const result: RecordedBlock = { kind: "tool_result", callId, content: toParts(message["content"]), status };
      return [{ kind: "message", ...position, role: "user", origin: "tool", blocks: [result] }];
    }
    case "bashExecution": {
      // A command that the user ran beside the conversation; with `!!` the model does not see it.
      if (message["excludeFromContext"] === true) return [];
      const text = `Ran \`${asString(message["command"]) ?? ""}\`\n${asString(message["output"]) ?? ""}`;
      return [toInjected(position, toBlocks(text))];
    }
    case "custom":
    case "hookMessage":
      return [toInjected(position, blocks)];
    default:
      return [];
  }
}

function toInjected(position: RecordedPosition, blocks: RecordedBlock[]): RecordedMessage {
  return { kind: "message", ...position, role: "user", origin: "agent", blocks };
}

function toSummary(position: RecordedPosition, fields: JsonObject): RecordedMessage {
  return { kind: "message", ...position, role: "user", origin: "summary", blocks: toBlocks(fields["summary"]) };
}

function toUsage(
  message: JsonObject,
  { responseId, branch, atMs, model }: RecordedPosition & { responseId: string; model?: string },
): RecordedUsage | undefined {
  const usage = asObject(message["usage"]);
  const count = (name: string): number => asCount(usage?.[name]) ?? 0;
  const inputTokens = count("input") + count("cacheRead") + count("cacheWrite");
  // Interrupted before the provider reported anything.
  if (inputTokens === 0) return undefined;
  return {
    kind: "usage",
    responseId,
    branch,
    atMs,
    model,
    freshTokens: count("input"),
    cacheReadTokens: count("cacheRead"),
    cacheWriteTokens: count("cacheWrite"),
    outputTokens: count("output"),
    outputCount: ["aborted", "error"].includes(asString(message["stopReason"]) ?? "") ? "provisional" : "final",
    costUsd: asCount(asObject(usage?.["cost"])?.["total"]) || undefined,
  };
}

function toCompaction(fields: JsonObject, position: RecordedPosition): RecordedEntry[] {
  // Version 1 counts entries from zero, header included.
  const index = asCount(fields["firstKeptEntryIndex"]);
  const firstId = asString(fields["firstKeptEntryId"]) ?? (index === undefined ? undefined : `entry-${index}`);
  return [
    {
      kind: "compaction",
      ...position,
      trigger: "unknown",
      tokensBefore: asCount(fields["tokensBefore"]),
      kept: firstId === undefined ? { kind: "nothing" } : { kind: "range", firstId },
    },
    toSummary({ ...position, id: `${position.id}/summary`, parentId: position.id }, fields),
  ];
}
