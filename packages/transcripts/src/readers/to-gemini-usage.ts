import { asCount, present } from "palimpsest/core";
import type { RecordedUsage } from "./recorded.ts";

/** What the Gemini API reports of a response, under the names of who recorded it. */
export interface GeminiCounts {
  /** All input, what was read from the cache included. */
  readonly prompt: unknown;
  readonly candidates: unknown;
  readonly cached: unknown;
  readonly thoughts: unknown;
  /** Input that tools of the service added to the prompt. */
  readonly toolUse?: unknown;
  readonly total: unknown;
}

type Counts = Omit<RecordedUsage, "kind" | "responseId" | "branch" | "atMs" | "model">;

/** Undefined if nothing was reported. Writes to the cache are not: the service caches by itself. */
export function toGeminiUsage(reported: GeminiCounts): Counts | undefined {
  const promptTokens = asCount(reported.prompt) ?? 0;
  if (promptTokens === 0) return undefined;
  const cacheReadTokens = Math.min(asCount(reported.cached) ?? 0, promptTokens);
  const candidates = asCount(reported.candidates) ?? 0;
  const thoughts = asCount(reported.thoughts) ?? 0;
  const toolUse = asCount(reported.toolUse) ?? 0;
  // The service counts thoughts beside the candidates; what imitates it counts them among these. The sum tells.
  const areIncluded = asCount(reported.total) === promptTokens + candidates;
  return {
    freshTokens: promptTokens - cacheReadTokens + toolUse,
    cacheReadTokens,
    outputTokens: candidates + (areIncluded ? 0 : thoughts),
    outputCount: "final",
    ...present({ reasoningTokens: thoughts === 0 ? undefined : thoughts }),
  };
}
