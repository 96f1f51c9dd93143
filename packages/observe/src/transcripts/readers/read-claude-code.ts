/**
 * Reads Claude Code's session files (`~/.claude/projects/<cwd>/<session>.jsonl`, versions 1.0 to 2.1), and those of subagents
 * (`<session>/subagents/agent-<id>.jsonl`).
 * In: lines. Out: what the model saw or may have seen (messages, attachments, output of local commands) and what it used.
 * Left out: what only the display shows (progress, hook summaries, titles), and `toolUseResult`, a copy of the result.
 */

import { asCount, asObject, asString, type JsonObject } from "palimpsest/schema";
import { createLineage } from "./create-lineage.ts";
import { createUsages } from "./create-usages.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readPlacedRecords } from "./read-placed-records.ts";
import type { RecordedEntry, RecordedMessage, RecordedUsage } from "./recorded.ts";
import { toClaudeCodeEntry } from "./to-claude-code-entry.ts";

/** Memory grows with the number of lines (an id each), not with their size. */
export async function* readClaudeCode(lines: TranscriptLines): AsyncGenerator<RecordedEntry> {
  const lineage = createLineage();
  const usages = createUsages();
  for await (const read of readPlacedRecords(lines, { agent: "claude-code", lineage })) {
    if (read.kind !== "placed") {
      yield read;
      continue;
    }
    const { record, position } = read;
    const entry = toClaudeCodeEntry(record, { position, lineage });
    if (entry === undefined || entry.kind === "damage") lineage.skip(position.id, position.parentId);
    if (entry === undefined) continue;
    if (entry.kind === "compaction") yield* usages.settle(position.branch);
    const usage = entry.kind === "message" ? toUsage(record.fields, entry) : undefined;
    // Responses of subagents that run at the same time may interleave.
    if (usage !== undefined) yield* usages.note(asString(record.fields["agentId"]) ?? position.branch, usage);
    yield entry;
  }
  yield* usages.settleAll();
}

function toUsage(fields: JsonObject, { responseId, branch, atMs, model }: RecordedMessage): RecordedUsage | undefined {
  const message = asObject(fields["message"]);
  const usage = asObject(message?.["usage"]);
  const freshTokens = asCount(usage?.["input_tokens"]);
  if (responseId === undefined || usage === undefined || freshTokens === undefined) return undefined;
  return {
    kind: "usage",
    responseId,
    branch,
    atMs,
    model,
    freshTokens,
    cacheReadTokens: asCount(usage["cache_read_input_tokens"]) ?? 0,
    cacheWriteTokens: asCount(usage["cache_creation_input_tokens"]) ?? 0,
    cacheWrite1hTokens: asCount(asObject(usage["cache_creation"])?.["ephemeral_1h_input_tokens"]),
    outputTokens: asCount(usage["output_tokens"]) ?? 0,
    // Only a line written after the end of the stream has a stop reason. Of 13,476 recorded responses, the 6,910 without
    // one have a median of 4 output tokens, the others one of 289.
    outputCount: typeof message?.["stop_reason"] === "string" ? "final" : "provisional",
  };
}
