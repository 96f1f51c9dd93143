import type { CacheDiagnosis } from "../../log/cause.ts";
import type { AppliedEdits } from "../../log/provider-edits.ts";
import { asCount, asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import type { ProviderCompaction, ResponseContent } from "../provider.ts";
import { readBlock, readCompaction } from "./read-block.ts";
import type { AnthropicResponse } from "./wire.ts";

export function readResponse(response: AnthropicResponse): ResponseContent {
  const usage = asObject(response.usage) ?? {};
  return {
    responseId: response.id,
    model: response.model,
    ...readContent(
      response.content.map((block) => asObject(block) ?? {}),
      usage,
    ),
    stop: STOPS.get(response.stop_reason ?? "") ?? "other",
    usage: readUsage(usage),
    ...readEdits(asList(asObject(asObject(response)?.["context_management"])?.["applied_edits"]) ?? []),
    ...readDiagnosis(asObject(asObject(response.diagnostics)?.["cache_miss_reason"])),
  };
}

/** A summary replaces all blocks before it: "the API ignores everything before the block". */
function readContent(
  content: readonly JsonObject[],
  usage: JsonObject,
): Pick<ResponseContent, "blocks"> & { compaction?: ProviderCompaction } {
  const at = content.findLastIndex((block) => readCompaction(block) !== undefined);
  const blocks = content
    .slice(at + 1)
    .map(readBlock)
    .filter((block) => block !== undefined);
  const block = at < 0 ? undefined : readCompaction(content[at]!);
  if (block === undefined) return { blocks };
  const passes = passesOf(usage).filter((pass) => pass["type"] === "compaction");
  return { blocks, compaction: { block, usage: sumOf(passes.map(readCounts)) } };
}

const STOPS: ReadonlyMap<string, ResponseContent["stop"]> = new Map([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["tool_use", "tools"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "window"],
  ["pause_turn", "paused"],
  ["refusal", "refused"],
  ["compaction", "compacted"],
]);

/**
 * Reads the usage. The API's input count covers only the part after the last cache mark; with cache reads and writes it
 * makes the whole input. If the service made several passes, the last one that wrote the message shows the current
 * context. A compacting pass is not in the totals and tells nothing about the context.
 */
export function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const input = passesOf(usage).findLast((pass) => pass["type"] === "message") ?? usage;
  const reasoningTokens = asCount(asObject(usage["output_tokens_details"])?.["thinking_tokens"]);
  return {
    ...readCounts(input),
    outputTokens: asCount(usage["output_tokens"]) ?? 0,
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}

function passesOf(usage: JsonObject): readonly JsonObject[] {
  return (asList(usage["iterations"]) ?? []).map((pass) => asObject(pass) ?? {});
}

function readCounts(counts: JsonObject): ResponseContent["usage"] {
  const longTokens = asCount(asObject(counts["cache_creation"])?.["ephemeral_1h_input_tokens"]);
  return {
    freshTokens: asCount(counts["input_tokens"]) ?? 0,
    cacheReadTokens: asCount(counts["cache_read_input_tokens"]) ?? 0,
    cacheWriteTokens: asCount(counts["cache_creation_input_tokens"]) ?? 0,
    ...(longTokens ? { cacheWrite1hTokens: longTokens } : {}),
    outputTokens: asCount(counts["output_tokens"]) ?? 0,
  };
}

function sumOf(passes: readonly ResponseContent["usage"][]): ResponseContent["usage"] {
  const sum = (field: "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "cacheWrite1hTokens" | "outputTokens") =>
    passes.reduce((total, pass) => total + (pass[field] ?? 0), 0);
  const longTokens = sum("cacheWrite1hTokens");
  return {
    freshTokens: sum("freshTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    ...(longTokens === 0 ? {} : { cacheWrite1hTokens: longTokens }),
    outputTokens: sum("outputTokens"),
  };
}

/**
 * Reads the applied edits; empty if nothing was left out. A compaction is not an edit: it is a block of the response.
 */
function readEdits(edits: readonly unknown[]): { appliedEdits?: AppliedEdits } {
  const sumOf = (field: string): number =>
    edits.reduce((sum: number, edit) => sum + (asCount(asObject(edit)?.[field]) ?? 0), 0);
  const applied = {
    results: sumOf("cleared_tool_uses"),
    thinkingTurns: sumOf("cleared_thinking_turns"),
    tokens: sumOf("cleared_input_tokens"),
  };
  return applied.results + applied.thinkingTurns === 0 ? {} : { appliedEdits: applied };
}

/** `unavailable` may also mean different parameters, or a response too old to compare with; it does not tell which. */
const REASONS: ReadonlyMap<string, CacheDiagnosis["reason"]> = new Map([
  ["model_changed", "model"],
  ["tools_changed", "tools"],
  ["system_changed", "system"],
  ["messages_changed", "messages"],
]);

/**
 * Reads the cache diagnosis; empty if the service was not asked, found no difference, or has not finished comparing.
 */
function readDiagnosis(missed: JsonObject | undefined): { cacheDiagnosis?: CacheDiagnosis } {
  if (missed === undefined) return {};
  const missedTokens = asCount(missed["cache_missed_input_tokens"]);
  const reason = REASONS.get(asString(missed["type"]) ?? "") ?? "unknown";
  return { cacheDiagnosis: { reason, ...(missedTokens === undefined ? {} : { missedTokens }) } };
}
