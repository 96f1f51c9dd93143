import { asCount, asObject, type JsonObject } from "palimpsest/schema";
import type { RecordedUsage } from "./recorded.ts";

export interface CodexUsage {
  counts: Omit<RecordedUsage, "kind" | "responseId" | "branch" | "atMs" | "model">;
  /** The content of the window after the response. */
  contextTokens: number;
  /** All usage so far, as a text for comparison: two reports with equal sums belong to one response. */
  sums: string;
}

/** Reads the `info` of a `token_count` event; undefined if it has no usage. Codex records no writes to the cache. */
export function toCodexUsage(info: JsonObject): CodexUsage | undefined {
  const last = asObject(info["last_token_usage"]);
  const inputTokens = asCount(last?.["input_tokens"]);
  if (last === undefined || inputTokens === undefined) return undefined;
  // The input includes tokens read from the cache.
  const cacheReadTokens = Math.min(asCount(last["cached_input_tokens"]) ?? 0, inputTokens);
  const outputTokens = asCount(last["output_tokens"]) ?? 0;
  const total = asObject(info["total_token_usage"]) ?? last;
  return {
    counts: {
      freshTokens: inputTokens - cacheReadTokens,
      cacheReadTokens,
      outputTokens,
      outputCount: "final",
      reasoningTokens: asCount(last["reasoning_output_tokens"]),
      windowTokens: asCount(info["model_context_window"]),
    },
    contextTokens: inputTokens + outputTokens,
    sums: [total["input_tokens"], total["cached_input_tokens"], total["output_tokens"]].map(asCount).join(),
  };
}
