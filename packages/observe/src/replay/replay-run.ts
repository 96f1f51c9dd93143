import { type BilledTokens, type ModelPrices, priceUsd } from "palimpsest/inspect";
import type { NeedCounts } from "./need-check.ts";

/** The purpose of a request in a replay. `refetch`: the model asked for content that it no longer saw. */
export type RequestSource = "conversation" | "refetch" | "summary" | "notes" | "ping";

/** The usage of one request in a replay. */
export interface ReplayedRequest extends BilledTokens {
  readonly source: RequestSource;
}

/** The result of a recording under one policy. It holds no prices: one run can be priced by any table. */
export interface ReplayRun {
  readonly requests: readonly ReplayedRequest[];
  /** For each compaction, the number of responses before it. */
  readonly compactedAt: readonly number[];
  /** Results that were cleared. */
  readonly cleared: number;
  /** The time in which the session could not go on because a summary was not finished. */
  readonly waitedMs: number;
  /** The signed thinking blocks that were sent back, each counted once. Undefined for rules, which see whole messages only. */
  readonly thinkingSent: number | undefined;
  readonly needs: NeedCounts;
}

/** Assumed, not measured: a usual speed of large models, and a round trip with the first token. */
const OUTPUT_TOKENS_PER_SECOND = 70;
const SECONDS_TO_FIRST_TOKEN = 2;

/** How long a model takes to write so many tokens. */
export function writingMs(outputTokens: number): number {
  return 1_000 * (SECONDS_TO_FIRST_TOKEN + outputTokens / OUTPUT_TOKENS_PER_SECOND);
}

/** The figures of a run, to compare policies by. */
export interface ReplayFigures {
  readonly priceUsd: number;
  readonly cacheHitPercent: number;
  readonly compactions: number;
  readonly cleared: number;
  readonly refetches: number;
  readonly waitedSeconds: number;
  readonly needs: number;
  readonly needsMetPercent: number;
  /** Strict: a name counts only where its item or its line is in view. */
  readonly needsStrictPercent: number;
  readonly editLinesMetPercent: number;
  readonly meanContextTokens: number;
  readonly maxContextTokens: number;
  readonly requests: Readonly<Partial<Record<RequestSource, number>>>;
}

/** The price of a run in US dollars. */
export function runPrice({ requests }: Pick<ReplayRun, "requests">, prices: ModelPrices): number {
  return requests.reduce((sum, request) => sum + priceUsd(request, prices), 0);
}

/** Computes the figures of a run. */
export function figuresOf(run: ReplayRun, prices: ModelPrices): ReplayFigures {
  const { requests, compactedAt, cleared, waitedMs, needs } = run;
  const contexts = requests.filter(({ source }) => source === "conversation").map(inputOf);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const counts: Partial<Record<RequestSource, number>> = {};
  for (const { source } of requests) counts[source] = (counts[source] ?? 0) + 1;
  const inputTokens = Math.max(1, sum(requests.map(inputOf)));
  return {
    priceUsd: runPrice(run, prices),
    cacheHitPercent: (100 * sum(requests.map(({ cacheReadTokens }) => cacheReadTokens))) / inputTokens,
    compactions: compactedAt.length,
    cleared,
    refetches: needs.refetches,
    waitedSeconds: waitedMs / 1_000,
    needs: needs.needs,
    needsMetPercent: percent(needs.met, needs.needs),
    needsStrictPercent: percent(needs.strict, needs.needs),
    editLinesMetPercent: percent(needs.linesMet, needs.lines),
    meanContextTokens: Math.round(sum(contexts) / Math.max(1, contexts.length)),
    maxContextTokens: contexts.reduce((most, tokens) => Math.max(most, tokens), 0),
    requests: counts,
  };
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : (100 * part) / whole;
}

function inputOf({ freshTokens, cacheReadTokens, cacheWriteTokens }: ReplayedRequest): number {
  return freshTokens + cacheReadTokens + cacheWriteTokens;
}
