import type { Cause, ModelPrices, PromptChange } from "../log/cause.ts";
import type { UsagePayload } from "../log/payload.ts";
import { inputTokensOf } from "../log/usage.ts";
import {
  type CacheBreak,
  type CauseTotals,
  type Ledger,
  type LedgerLine,
  type LedgerTotals,
  type OpenRequest,
  type PreviousRequest,
  spentTokens,
} from "./ledger.ts";
import { checkDiagnosis, findDrop, isExpected, leftInCache, nameCauses } from "./misses.ts";
import { type BilledTokens, HOUR_MS, priceUsd, withCacheRead } from "./prices.ts";

/** Returns the ledger line for a usage entry. */
export function lineOf(ledger: Ledger, usage: number, payload: UsagePayload, atMs: number): LedgerLine {
  const { model, answers, source = "main", cacheDiagnosis } = payload;
  const request = openRequest(ledger, payload);
  const previous = comparable(ledger, payload);
  const billed = billedOf(payload);
  const prices = payload.prices ?? request?.cache?.prices;
  const madeAtMs = request?.atMs ?? payload.madeAtMs ?? atMs;
  const changes = previous === undefined ? [] : changesSince(previous, request, { ...payload, usage });
  const causes = previous === undefined ? [] : causesOf(changes, previous, madeAtMs);
  const perfectReadTokens = perfectRead(billed, previous, { request, changes, usage, payload });
  const found = previous && findBreak({ ledger, payload, usage, atMs: madeAtMs, previous, changes, causes });
  const priced = prices && {
    priceUsd: priceUsd(billed, prices),
    perfectPriceUsd: priceUsd(withCacheRead(billed, perfectReadTokens), prices),
  };
  const diagnosis = cacheDiagnosis && previous && checkDiagnosis(causes, cacheDiagnosis);
  const lost = found !== undefined || perfectReadTokens > billed.cacheReadTokens;
  return {
    usage,
    ...(answers === undefined ? {} : { request: answers }),
    source,
    atMs: madeAtMs,
    model,
    ...billed,
    perfectReadTokens,
    ...(priced === undefined ? {} : { ...priced, gapUsd: priced.priceUsd - priced.perfectPriceUsd }),
    causes: lost ? causes : [],
    ...(found === undefined ? {} : { break: found }),
    ...(diagnosis === undefined ? {} : { diagnosis }),
    ...(payload.estimated === undefined ? {} : { estimated: payload.estimated }),
  };
}

function billedOf(payload: UsagePayload): BilledTokens {
  const { freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = payload;
  const long = cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens };
  return { freshTokens, cacheReadTokens, cacheWriteTokens, ...long, outputTokens };
}

/** The waiting request that a response answers, if there is one. */
export function openRequest({ sources }: Ledger, { source = "main", answers }: UsagePayload): OpenRequest | undefined {
  return sources[source]?.open.findLast(({ request }) => request === answers);
}

/** The request that a response is compared with: none if a later request was answered first, or if no usage was reported. */
function comparable(ledger: Ledger, payload: UsagePayload): PreviousRequest | undefined {
  const previous = ledger.sources[payload.source ?? "main"]?.previous;
  const request = openRequest(ledger, payload);
  // Estimates show nothing about the cache.
  if (previous === undefined || inputTokensOf(payload) === 0 || payload.estimated === "all") return undefined;
  return request === undefined || request.at < previous.at ? undefined : previous;
}

function causesOf(changes: readonly PromptChange[], previous: PreviousRequest, atMs: number): readonly Cause[] {
  // The previous request wrote the tokens that were read, with the lifetime that it asked for.
  return nameCauses({ changes, pauseMs: atMs - previous.atMs, lifetimeMs: previous.lifetimeMs });
}

/** A request that was made before the previous one was answered was compared with an older one. */
function changesSince(
  previous: PreviousRequest,
  request: OpenRequest | undefined,
  reported: Pick<UsagePayload, "appliedEdits" | "folded"> & { readonly usage: number },
): readonly PromptChange[] {
  const { changes = [], comparedWith } = request?.cache ?? {};
  const known = comparedWith === previous.at ? changes : changes.filter(({ at }) => at > previous.at);
  return [...known, ...editsSince(previous, reported), ...foldSince(reported)];
}

/** The provider did not read the conversation as it was sent, but its own compaction of it. */
function foldSince({ folded, usage }: Pick<UsagePayload, "folded"> & { readonly usage: number }): PromptChange[] {
  return folded === undefined ? [] : [{ cause: "boundary", at: usage, what: ["compacted by the provider"] }];
}

/** Only the report shows what the provider left out: the report itself brings this change of the prompt. */
function editsSince(
  { appliedEdits: before }: PreviousRequest,
  { appliedEdits: now, usage }: Pick<UsagePayload, "appliedEdits"> & { readonly usage: number },
): readonly PromptChange[] {
  const { results = 0, thinkingTurns = 0 } = now ?? {};
  if (results === (before?.results ?? 0) && thinkingTurns === (before?.thinkingTurns ?? 0)) return [];
  const what = [`left out ${results} results and ${thinkingTurns} turns of thinking`];
  return [{ cause: "provider-edits", at: usage, what }];
}

/** Everything that the previous request left in the cache and that this one still begins with. */
function perfectRead(
  billed: BilledTokens,
  previous: PreviousRequest | undefined,
  { request, changes, usage, payload }: Compared,
): number {
  // The provider does not say where its edits begin, so the tokens that it read count as all that could be read.
  if (previous === undefined || changes.some(({ at }) => at === usage)) return billed.cacheReadTokens;
  const { freshTokens, cacheReadTokens, cacheWriteTokens } = previous;
  // A service that reports reads but no writes caches everything by itself.
  const unreported = cacheWriteTokens === 0 && cacheReadTokens > 0 ? freshTokens : 0;
  const leftTokens = leftInCache(previous, payload) + unreported;
  const keptTokens = Math.min(leftTokens, request?.cache?.keptTokens ?? leftTokens);
  return Math.max(billed.cacheReadTokens, Math.min(keptTokens, inputTokensOf(billed)));
}

interface Compared {
  readonly request: OpenRequest | undefined;
  readonly changes: readonly PromptChange[];
  readonly usage: number;
  readonly payload: UsagePayload;
}

interface Comparison {
  readonly ledger: Ledger;
  readonly payload: UsagePayload;
  readonly usage: number;
  readonly atMs: number;
  readonly previous: PreviousRequest;
  readonly changes: readonly PromptChange[];
  readonly causes: readonly Cause[];
}

function findBreak(comparison: Comparison): CacheBreak | undefined {
  const { ledger, payload, usage, atMs, previous, changes, causes } = comparison;
  const droppedTokens = findDrop(previous, payload);
  if (droppedTokens === undefined) return undefined;
  const request = openRequest(ledger, payload);
  const billed = billedOf(payload);
  const leftTokens = leftInCache(previous, payload);
  const rebilledTokens = Math.max(0, Math.min(leftTokens, inputTokensOf(billed)) - billed.cacheReadTokens);
  const prices = request?.cache?.prices;
  const announcedTokens = changes.reduce((sum, change) => sum + (change.announcedTokens ?? 0), 0);
  const better = withCacheRead(billed, billed.cacheReadTokens + rebilledTokens);
  return {
    usage,
    source: payload.source ?? "main",
    atMs,
    causes,
    what: changes.flatMap(({ what }) => what ?? []),
    sort: isExpected(causes) ? "expected" : "alarm",
    droppedTokens,
    rebilledTokens,
    ...(prices === undefined ? {} : { rebilledUsd: priceUsd(billed, prices) - priceUsd(better, prices) }),
    ...(announcedTokens === 0 ? {} : { announcedTokens }),
    pauseMs: Math.max(0, atMs - previous.atMs),
    ...(payload.cacheDiagnosis === undefined || payload.cacheDiagnosis.reason === "unknown"
      ? {}
      : { providerSays: payload.cacheDiagnosis.reason }),
  };
}

/** The cost of a session so far, and of its next request. */
export interface SessionCost extends LedgerTotals {
  /** `priceUsd` minus `perfectPriceUsd`. */
  readonly gapUsd: number;
  readonly bySource: Readonly<Record<string, LedgerTotals>>;
  readonly byCause: Readonly<Partial<Record<Cause, CauseTotals>>>;
  /** The newest 50, oldest first. */
  readonly breaks: readonly CacheBreak[];
  readonly nextRequest: NextRequestCost;
}

/** The input of the next request: its output is not known yet. */
export interface NextRequestCost {
  readonly inputTokens: number;
  /** The tokens expected to be read from a warm cache. */
  readonly cachedTokens: number;
  /** `new`: nothing can be in the cache yet. */
  readonly cache: "warm" | "cold" | "new";
  /** When the cache expires or expired; absent if it is new. */
  readonly coldAtMs?: number;
  /** These fields are absent if the prices are unknown. */
  readonly warmUsd?: number;
  readonly coldUsd?: number;
  /** The extra cost of waiting until the cache is cold. */
  readonly pauseUsd?: number;
}

interface CostQuestion {
  readonly ledger: Ledger;
  /** The parts of the next request. */
  readonly sizeTokens: number;
  /** The tokens of the newest answered request that the next one still begins with. @default all of it */
  readonly keptTokens?: number | undefined;
  readonly lifetimeMs: number;
  /** The tokens of the system prompt and the tools, if they are cached longer than the messages. @default none */
  readonly headTokens?: number | undefined;
  readonly prices?: ModelPrices | undefined;
  readonly nowMs: number;
}

export function costOf(question: CostQuestion): SessionCost {
  const { sources, breaks } = question.ledger;
  const totals = spentTokens(question.ledger);
  return {
    ...totals,
    gapUsd: totals.priceUsd - totals.perfectPriceUsd,
    bySource: Object.fromEntries(Object.entries(sources).map(([source, { totals: own }]) => [source, own])),
    byCause: sumOfCauses(Object.values(sources).map(({ causes }) => causes)),
    breaks,
    nextRequest: nextRequestCost(question),
  };
}

function nextRequestCost(question: CostQuestion): NextRequestCost {
  const { ledger, sizeTokens, keptTokens, headTokens = 0, prices, lifetimeMs, nowMs } = question;
  const previous = ledger.sources["main"]?.previous;
  const leftTokens = previous === undefined ? 0 : previous.cacheReadTokens + previous.cacheWriteTokens;
  const cachedTokens = Math.min(leftTokens, keptTokens ?? leftTokens, sizeTokens);
  const coldAtMs = previous && previous.atMs + previous.lifetimeMs;
  const isWarm = coldAtMs !== undefined && nowMs < coldAtMs;
  const price = (readTokens: number): number | undefined =>
    prices && inputUsd(sizeTokens, readTokens, lifetimeMs, prices);
  const [warmUsd, coldUsd] = [price(cachedTokens), price(Math.min(headTokens, cachedTokens))];
  return {
    inputTokens: sizeTokens,
    cachedTokens,
    cache: leftTokens === 0 ? "new" : isWarm ? "warm" : "cold",
    ...(coldAtMs === undefined || leftTokens === 0 ? {} : { coldAtMs }),
    ...(warmUsd === undefined || coldUsd === undefined ? {} : { warmUsd, coldUsd, pauseUsd: coldUsd - warmUsd }),
  };
}

/** Input that is not read from the cache is written to it. */
function inputUsd(inputTokens: number, cacheReadTokens: number, lifetimeMs: number, prices: ModelPrices): number {
  const cacheWriteTokens = inputTokens - cacheReadTokens;
  const cacheWrite1hTokens = lifetimeMs >= HOUR_MS ? cacheWriteTokens : 0;
  return priceUsd({ freshTokens: 0, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens: 0 }, prices);
}

function sumOfCauses(all: readonly Readonly<Partial<Record<Cause, CauseTotals>>>[]): SessionCost["byCause"] {
  const sums: Partial<Record<Cause, CauseTotals>> = {};
  for (const causes of all) {
    for (const [cause, lost] of Object.entries(causes) as [Cause, CauseTotals][]) {
      const sum = sums[cause];
      sums[cause] =
        sum === undefined
          ? lost
          : {
              breaks: sum.breaks + lost.breaks,
              rebilledTokens: sum.rebilledTokens + lost.rebilledTokens,
              rebilledUsd: sum.rebilledUsd + lost.rebilledUsd,
              gapUsd: sum.gapUsd + lost.gapUsd,
            };
    }
  }
  return sums;
}

interface EstimatedRequest {
  /** The entry of the request; absent if the request was not made from the view. */
  readonly request: number | undefined;
  readonly source: string;
  readonly nowMs: number;
}

/** Estimates how the input of a request was billed: everything that the previous request left in the cache counts as read. */
export function estimateUsage(
  { sources }: Ledger,
  { request, source, nowMs }: EstimatedRequest,
  inputTokens: number,
): Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens"> {
  const { previous, open = [] } = sources[source] ?? {};
  const isWarm = previous !== undefined && nowMs < previous.atMs + previous.lifetimeMs;
  const leftTokens = isWarm ? leftInCache(previous, {}) : 0;
  const keptTokens = open.findLast((one) => one.request === request)?.cache?.keptTokens ?? leftTokens;
  const cacheReadTokens = Math.min(leftTokens, keptTokens, inputTokens);
  const restTokens = inputTokens - cacheReadTokens;
  // A service that reported writes before also writes the new part now.
  const writes = (previous?.cacheWriteTokens ?? 0) > 0;
  return { cacheReadTokens, cacheWriteTokens: writes ? restTokens : 0, freshTokens: writes ? 0 : restTokens };
}
