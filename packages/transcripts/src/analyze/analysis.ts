import type { ModelFacts } from "palimpsest";
import type { RecordedSession } from "../readers/recorded.ts";

export interface AnalyzeOptions {
  /** What is known of a model. Without prices, what the agent itself reckoned is used where it is recorded. */
  readonly factsOf: (model: string) => Pick<ModelFacts, "prices" | "cacheLifetimeMs">;
}

/**
 * What a recorded session spent, and on what. Sums of tokens are the provider's own; how they are shared among what stood in the
 * window is an estimate that adds up to them. Where prices are not known, what would be dollars is absent or left out of sums.
 */
export interface Analysis {
  /** Absent where the transcript does not say. */
  readonly session?: Omit<RecordedSession, "kind">;
  /** Of the first and the last response. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly totals: SpentTotals;
  /** What subagents and the like in the same file used; not in the totals, and of what it consists is not known. */
  readonly subagents: SpentTotals;
  /** The window from response to response. */
  readonly points: readonly WindowPoint[];
  /** What the money went to, the most expensive first. */
  readonly parts: readonly PartTotals[];
  readonly breaks: readonly RecordedBreak[];
  /** What a perfect cache would have saved, by why it was not. */
  readonly lost: Readonly<Partial<Record<BreakCause, LostTotals>>>;
  readonly duplicateReads: DuplicateReads;
  readonly compactions: readonly CompactionReport[];
  /** The tool results that cost most, with every request that carried them. */
  readonly expensiveResults: readonly ResultCost[];
  readonly damagedLines: number;
}

export interface SpentTotals {
  readonly responses: number;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Of the responses whose price is known. */
  readonly usd: number;
  /** What those would have cost, had each read all that the one before left in the cache and that was still its beginning. */
  readonly perfectUsd: number;
  readonly unpricedResponses: number;
  /** Responses whose output was not counted to the end: it is estimated from what they said. */
  readonly estimatedOutputs: number;
}

/**
 * What stands in a window. `fixed`: system prompt and tool definitions, which no transcript holds: what the first request had
 * beside its messages. `agent`: what the agent put in by itself, recorded or not. Results are told apart by tool.
 */
export type PartKind = "fixed" | "user" | "agent" | "summary" | "assistant" | "thinking" | "calls" | "results";

export interface Part {
  readonly kind: PartKind;
  /** Only of results. */
  readonly tool?: string;
}

/** One response of the main conversation. */
export interface WindowPoint {
  readonly atMs: number;
  /** When its request could leave. */
  readonly sentAtMs: number;
  readonly model?: string;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** The model's window, where the transcript tells. */
  readonly windowTokens?: number;
  readonly usd?: number;
  /** What its input consisted of, by name of the part. */
  readonly parts: Readonly<Record<string, number>>;
}

export interface PartTotals extends Part {
  /** The name that `WindowPoint.parts` has for it. */
  readonly name: string;
  /** What came into the window, once. */
  readonly addedTokens: number;
  /** What was sent, with every request again. */
  readonly sentTokens: number;
  /** What the model wrote of it. */
  readonly outputTokens: number;
  readonly usd: number;
}

/**
 * Why a prompt was not found in the cache. `pause`: it was there for longer than it is kept. `edited`: the prompt became shorter,
 * and the record does not say by what. `look-back`: more was added at once than the service looks back over from the only
 * place that the client marked. `unknown`: the record shows no reason; another system prompt or other tools are none that it
 * could show.
 */
export type BreakCause = "model" | "pause" | "compaction" | "rewind" | "clearing" | "edited" | "look-back" | "unknown";

/** A request that found much less in the cache than the one before had left there. */
export interface RecordedBreak {
  /** The point that shows it. */
  readonly point: number;
  readonly atMs: number;
  /** The one that comes earliest in the prompt first. */
  readonly causes: readonly BreakCause[];
  /** `front`: not even what stands before the conversation was found. */
  readonly from: "front" | "conversation";
  readonly pauseMs: number;
  /** How long the prompt is kept. */
  readonly lifetimeMs: number;
  /** Paid for again, though it had been in the cache. */
  readonly rebilledTokens: number;
  readonly usd?: number;
}

export interface LostTotals {
  readonly breaks: number;
  readonly tokens: number;
  readonly usd: number;
}

/** Reads of a file whose content was still in the window, byte for byte. */
export interface DuplicateReads {
  readonly reads: number;
  readonly duplicates: number;
  readonly tokens: number;
  readonly usd: number;
  /** The most expensive first, ten at most. */
  readonly files: readonly FileReads[];
}

export interface FileReads {
  readonly path: string;
  readonly reads: number;
  readonly tokens: number;
  readonly usd: number;
}

export interface CompactionReport {
  readonly atMs: number;
  /** The first point behind it; the number of points, if there is none. */
  readonly point: number;
  readonly trigger: "auto" | "manual" | "unknown";
  /** The window before it and after it, as the provider counted; absent where no response follows. */
  readonly tokensBefore: number;
  readonly tokensAfter?: number;
  /** What was read again in the rounds behind it of what had been read before it. */
  readonly readAgain: {
    readonly reads: number;
    readonly tokens: number;
    readonly usd: number;
    readonly files: readonly FileReads[];
  };
}

export interface ResultCost {
  readonly tool: string;
  /** The file, or how the input begins. */
  readonly about: string;
  readonly point: number;
  readonly tokens: number;
  /** How many requests carried it. */
  readonly requests: number;
  readonly usd: number;
}
