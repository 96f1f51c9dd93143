import { type ReplayedRequest, type ReplayRun, runPrice } from "@palimpsest/observe/replay";
import { type ModelPrices, priceUsd } from "palimpsest/inspect";
import { type Charges, chargeRun } from "./charge-run.ts";
import { pricesOf } from "./conditions.ts";
import { type SummaryPrices, summaryPrices } from "./summary-prices.ts";
import type { SessionFacts } from "./to-facts.ts";

/** One session under one policy and one condition. */
export interface Score extends SummaryPrices {
  readonly price: number;
  /** Without re-reads that no need asks for, and with output as the replay counts it. */
  readonly barePrice: number;
  readonly needs: number;
  readonly met: number;
  readonly strict: number;
  readonly lines: number;
  readonly linesMet: number;
  readonly refetches: number;
  readonly compactions: number;
  /** Seconds in which nobody can do anything but wait for summaries and for content that is fetched again. */
  readonly waitedSeconds: number;
  readonly readTokens: number;
  readonly inputTokens: number;
  readonly conversationTokens: number;
  readonly requests: number;
  /** If the user stopped after a request: at how many of them this had cost over 5% more than the baseline. */
  readonly dearStops: number;
  /** The same between requests 20 and 40. */
  readonly earlyStops: number;
  readonly dearEarlyStops: number;
  /** The highest price at a stop, relative to the baseline there. */
  readonly worstStop: number;
}

const DEAR = 1.05;
const EARLY = { from: 20, to: 40 };
/** Stated, not measured: a usual speed of large models, and a round trip with the first token. */
export const OUTPUT_TOKENS_PER_SECOND = 70;
export const SECONDS_TO_FIRST_TOKEN = 2;

/** A run that can be compared with others of its session: charged, and with the price at each point where a user may stop. */
export interface PricedRun {
  readonly run: ReplayRun;
  readonly requests: readonly ReplayedRequest[];
  readonly priceAtStop: readonly number[];
}

export function priceRun(run: ReplayRun, facts: SessionFacts, charges: Charges, prices: ModelPrices): PricedRun {
  const requests = chargeRun(run, facts, charges);
  const priceAtStop: number[] = [];
  let price = 0;
  for (const request of requests) {
    price += priceUsd(request, prices);
    // Re-reads after a response belong to the next one.
    if (request.source === "conversation") priceAtStop.push(price);
  }
  return { run, requests, priceAtStop };
}

export function scoreRun({ run, requests, priceAtStop }: PricedRun, baseline: PricedRun, readShare: number): Score {
  const sum = (of: (request: ReplayedRequest) => number): number =>
    requests.reduce((total, request) => total + of(request), 0);
  const stops = priceAtStop.map((price, index) => price / baseline.priceAtStop[index]!);
  const early = stops.slice(EARLY.from, EARLY.to);
  const dear = (ratios: readonly number[]): number => ratios.filter((ratio) => ratio > DEAR).length;
  return {
    price: priceAtStop.at(-1)!,
    barePrice: runPrice(run, pricesOf(readShare)),
    ...run.needs,
    ...summaryPrices(requests, pricesOf(readShare)),
    compactions: run.compactedAt.length,
    waitedSeconds: sum(waitOf),
    readTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
    inputTokens: sum(inputOf),
    conversationTokens: sum((request) => (request.source === "conversation" ? inputOf(request) : 0)),
    requests: priceAtStop.length,
    dearStops: dear(stops),
    earlyStops: early.length,
    dearEarlyStops: dear(early),
    worstStop: stops.reduce((worst, ratio) => Math.max(worst, ratio), 0),
  };
}

function inputOf({ freshTokens, cacheReadTokens, cacheWriteTokens }: ReplayedRequest): number {
  return freshTokens + cacheReadTokens + cacheWriteTokens;
}

function waitOf({ source, outputTokens }: ReplayedRequest): number {
  if (source !== "summary" && source !== "refetch") return 0;
  return SECONDS_TO_FIRST_TOKEN + outputTokens / OUTPUT_TOKENS_PER_SECOND;
}
