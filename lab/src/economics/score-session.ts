import type { ReplayedRequest, ReplayRun } from "@palimpsest/observe/replay";
import { writingMs } from "@palimpsest/observe/replay";
import { type ModelPrices, priceUsd } from "palimpsest/inspect";
import { type Charges, chargeRun } from "./charge-run.ts";
import type { SessionFacts } from "./facts.ts";

/** One session under one policy. */
export interface Score {
  /** The whole bill in US dollars. */
  readonly price: number;
  readonly baselinePrice: number;
  readonly needs: number;
  /** Needs whose place, or whose line, was in the request. A bare name is not enough. */
  readonly strict: number;
  readonly lines: number;
  readonly linesMet: number;
  readonly refetches: number;
  readonly compactions: number;
  /** Time in which a summary was needed and not finished. */
  readonly waitedSeconds: number;
  /** With content that is fetched again, and files that are read again after a compaction. */
  readonly waitedInAllSeconds: number;
  readonly requests: number;
  /** If the user stopped after a request: at how many of them the session had cost over 5% more than the baseline. */
  readonly dearStops: number;
  readonly thinkingSent: number;
  /** Summaries that were written before a compaction needed them, and how many of them were used. */
  readonly preparedWritten: number;
  readonly preparedInstalled: number;
}

const DEAR = 1.05;

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

export function scoreRun({ run, requests, priceAtStop }: PricedRun, baseline: PricedRun): Score {
  const stops = priceAtStop.map((price, index) => price / baseline.priceAtStop[index]!);
  const { needs, strict, lines, linesMet, refetches } = run.needs;
  const waitedSeconds = run.waitedMs / 1_000;
  return {
    price: priceAtStop.at(-1)!,
    baselinePrice: baseline.priceAtStop.at(-1)!,
    ...{ needs, strict, lines, linesMet, refetches },
    compactions: run.compactedAt.length,
    waitedSeconds,
    waitedInAllSeconds: requests.reduce(
      (sum, { source, outputTokens }) => sum + (source === "refetch" ? writingMs(outputTokens) / 1_000 : 0),
      waitedSeconds,
    ),
    requests: priceAtStop.length,
    dearStops: stops.filter((ratio) => ratio > DEAR).length,
    thinkingSent: run.thinkingSent ?? 0,
    preparedWritten: run.prepared?.written ?? 0,
    preparedInstalled: run.prepared?.installed ?? 0,
  };
}
