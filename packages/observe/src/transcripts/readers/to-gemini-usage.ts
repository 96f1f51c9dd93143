import { asCount } from "palimpsest/schema";
import type { RecordedUsage } from "./recorded.ts";

/** The Gemini API's counts for a response; each agent records them under its own names. */
export interface GeminiCounts {
  /** All input, including tokens read from the cache. */
  readonly prompt: unknown;
  readonly candidates: unknown;
  readonly cached: unknown;
  readonly thoughts: unknown;
  /** Input that tools of the service added to the prompt. */
  readonly toolUse?: unknown;
  readonly total: unknown;
}

type Counts = Omit<RecordedUsage, "kind" | "responseId" | "branch" | "atMs" | "model">;

/** Returns undefined if nothing was reported. Cache writes are never reported: the service caches automatically. */
export function toGeminiUsage(reported: GeminiCounts): Counts | undefined {
  const promptTokens = asCount(reported.prompt) ?? 0;
  if (promptTokens === 0) return undefined;
  const cacheReadTokens = Math.min(asCount(reported.cached) ?? 0, promptTokens);
  const candidates = asCount(reported.candidates) ?? 0;
  const thoughts = asCount(reported.thoughts) ?? 0;
  const toolUse = asCount(reported.toolUse) ?? 0;
  // The service counts thoughts beside the candidates; imitations count them among the candidates. The sum shows which.
  const areIncluded = asCount(reported.total) === promptTokens + candidates;
  return {
    freshTokens: promptTokens - cacheReadTokens + toolUse,
    cacheReadTokens,
    outputTokens: candidates + (areIncluded ? 0 : thoughts),
    outputCount: "final",
    reasoningTokens: thoughts === 0 ? undefined : thoughts,
  };
}
