import type { ModelFacts } from "palimpsest";
import type { PromptPart, RecordedSession } from "../transcripts/readers/recorded.ts";

/** Where prices of models come from. */
export interface AnalyzeOptions {
  /** Information about a model. Without prices, the agent's own cost figures are used if they are recorded. */
  readonly factsOf: (model: string) => Pick<ModelFacts, "prices" | "cacheLifetimeMs">;
}

/**
 * The spending of a recorded session by cause. Sums of tokens are the provider's own; their distribution over the window is an
 * estimate that adds up to them. If prices are unknown, dollar amounts are absent or left out of sums.
 */
export interface Analysis {
  /** Absent if the transcript does not have it. */
  readonly session?: Omit<RecordedSession, "kind">;
  /** Of the first and the last response. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly totals: SpentTotals;
  /** Usage of subagents in the same file; it is not in the totals, and its parts are unknown. */
  readonly subagents: SpentTotals;
  /** The window from response to response. */
  readonly points: readonly WindowPoint[];
  /** The cost by part of the window, the most expensive first. */
  readonly parts: readonly PartTotals[];
  /** What the definition of each tool costs, the largest first; empty if the recording does not have requests. */
  readonly tools: readonly ToolCost[];
  readonly breaks: readonly RecordedBreak[];
  /** The savings of a perfect cache, by the cause of each loss. */
  readonly lost: Readonly<Partial<Record<BreakCause, LostTotals>>>;
  readonly duplicateReads: DuplicateReads;
  readonly compactions: readonly CompactionReport[];
  /** The most expensive tool results, including every request that carried them. */
  readonly expensiveResults: readonly ResultCost[];
  readonly damagedLines: number;
}

/** What responses cost in all. */
export interface SpentTotals {
  readonly responses: number;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Of the responses whose price is known. */
  readonly usd: number;
  /**
   * The price of those responses with a perfect cache: each reads everything that the previous one left and that it still
   * begins with.
   */
  readonly perfectUsd: number;
  readonly unpricedResponses: number;
  /** Responses whose output was not counted to the end: it is estimated from their text. */
  readonly estimatedOutputs: number;
}

/**
 * A part of the window. `fixed`: system prompt and tool definitions, which no transcript holds: the first request minus its
 * messages. `agent`: content that the agent inserted, recorded or not. Results are separate by tool.
 */
export type PartKind = "fixed" | "user" | "agent" | "summary" | "assistant" | "thinking" | "calls" | "results";

/** A part of a context: of which kind, and of which tool. */
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
  /** The parts of its input, by name. */
  readonly parts: Readonly<Record<string, number>>;
}

/** What a part of the context cost in all. */
export interface PartTotals extends Part {
  /** Its name in `WindowPoint.parts`. */
  readonly name: string;
  /** Tokens that entered the window, counted once. */
  readonly addedTokens: number;
  /** Tokens that were sent, counted with every request. */
  readonly sentTokens: number;
  /** Tokens that the model wrote. */
  readonly outputTokens: number;
  readonly usd: number;
}

/**
 * The definition of a tool, which every request repeats. Tokens and prices are its share, by size, of what stands before the
 * messages.
 */
export interface ToolCost {
  readonly name: string;
  /** In the newest request that had it. */
  readonly tokens: number;
  /** Requests that had it. */
  readonly requests: number;
  /** Of all these requests. */
  readonly usd: number;
  /** How often the model called it. */
  readonly calls: number;
}

/**
 * Why a prompt was not in the cache. `pause`: it had expired. `edited`: the prompt became shorter, and the record does not say
 * why. `look-back`: more was added at once than the service looks back from the only mark. `unknown`: the record shows no
 * reason; a change of the system prompt or of tools is not recorded.
 */
export type BreakCause =
  | "model"
  | PromptPart
  | "pause"
  | "compaction"
  | "rewind"
  | "clearing"
  | "edited"
  | "look-back"
  | "unknown";

/** A request that found much less in the cache than the previous one had left there. */
export interface RecordedBreak {
  /** The point that shows it. */
  readonly point: number;
  readonly atMs: number;
  /** The causes, the earliest in the prompt first. */
  readonly causes: readonly BreakCause[];
  /** `front`: not even the part before the conversation was found. */
  readonly from: "front" | "conversation";
  readonly pauseMs: number;
  /** The lifetime of the prompt. */
  readonly lifetimeMs: number;
  /** Tokens that were paid for again although they had been in the cache. */
  readonly rebilledTokens: number;
  readonly usd?: number;
}

/** What cache breaks cost. */
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

/** How often a file was read, and the price. */
export interface FileReads {
  readonly path: string;
  readonly reads: number;
  readonly tokens: number;
  readonly usd: number;
}

/** A compaction in a transcript, and what was needed again after it. */
export interface CompactionReport {
  readonly atMs: number;
  /** The first point behind it; the number of points, if there is none. */
  readonly point: number;
  readonly trigger: "auto" | "manual" | "unknown";
  /** The window before and after it, by the provider's count; absent if no response follows. */
  readonly tokensBefore: number;
  readonly tokensAfter?: number;
  /** Content from before the compaction that was read again in the rounds after it. */
  readonly readAgain: {
    readonly reads: number;
    readonly tokens: number;
    readonly usd: number;
    readonly files: readonly FileReads[];
  };
}

/** What one tool result cost over the session. */
export interface ResultCost {
  readonly tool: string;
  /** The file, or how the input begins. */
  readonly about: string;
  readonly point: number;
  readonly tokens: number;
  /** The number of requests that carried it. */
  readonly requests: number;
  readonly usd: number;
}
