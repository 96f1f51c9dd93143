// The ledger line of one response: its price, the price with a perfect cache, and the causes of the difference.

import type { Cause, PromptChange } from "../log/cause.ts";
import type { UsagePayload } from "../log/payload.ts";
import { inputTokensOf } from "../log/usage.ts";
import type { CacheBreak, Ledger, LedgerLine, OpenRequest, PreviousRequest } from "./ledger.ts";
import { checkDiagnosis, findDrop, isExpected, leftInCache, nameCauses } from "./misses.ts";
import { type BilledTokens, priceUsd, withCacheRead } from "./prices.ts";

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
    request: answers,
    source,
    atMs: madeAtMs,
    model,
    ...billed,
    perfectReadTokens,
    ...(priced === undefined ? {} : { ...priced, gapUsd: priced.priceUsd - priced.perfectPriceUsd }),
    causes: lost ? causes : [],
    break: found,
    diagnosis,
    estimated: payload.estimated,
  };
}

/** Returns the waiting request that a response answers, if there is one. */
export function openRequest({ sources }: Ledger, { source = "main", answers }: UsagePayload): OpenRequest | undefined {
  return sources[source]?.open.findLast(({ request }) => request === answers);
}

function billedOf(payload: UsagePayload): BilledTokens {
  const { freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = payload;
  const long = cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens };
  return { freshTokens, cacheReadTokens, cacheWriteTokens, ...long, outputTokens };
}

/** Returns the request to compare with: none if a later request was answered first, or if the provider reported no usage. */
function comparable(ledger: Ledger, payload: UsagePayload): PreviousRequest | undefined {
  const previous = ledger.sources[payload.source ?? "main"]?.previous;
  const request = openRequest(ledger, payload);
  // Estimates show nothing about the cache.
  if (previous === undefined || inputTokensOf(payload) === 0 || payload.estimated === "all") return undefined;
  return request === undefined || request.at < previous.at ? undefined : previous;
}

function causesOf(changes: readonly PromptChange[], previous: PreviousRequest, atMs: number): readonly Cause[] {
  // The previous request wrote the tokens that this one read, so its cache lifetime applies.
  return nameCauses({ changes, pauseMs: atMs - previous.atMs, lifetimeMs: previous.lifetimeMs });
}

/**
 * Returns the changes to the prompt since the previous answered request. A request that was made before that answer was compared
 * with an older request, so only its newer changes count.
 */
function changesSince(
  previous: PreviousRequest,
  request: OpenRequest | undefined,
  reported: Pick<UsagePayload, "appliedEdits" | "folded"> & { readonly usage: number },
): readonly PromptChange[] {
  const { changes = [], comparedWith } = request?.cache ?? {};
  const known = comparedWith === previous.at ? changes : changes.filter(({ at }) => at > previous.at);
  return [...known, ...editsSince(previous, reported), ...compactionSince(reported)];
}

/** Returns the change to the prompt if the provider left out more or less than before. Only its report shows this. */
function editsSince(
  { appliedEdits: before }: PreviousRequest,
  { appliedEdits: now, usage }: Pick<UsagePayload, "appliedEdits"> & { readonly usage: number },
): readonly PromptChange[] {
  const { results = 0, thinkingTurns = 0 } = now ?? {};
  if (results === (before?.results ?? 0) && thinkingTurns === (before?.thinkingTurns ?? 0)) return [];
  const what = [`left out ${results} results and ${thinkingTurns} turns of thinking`];
  return [{ cause: "provider-edits", at: usage, what }];
}

/** Returns the change to the prompt if the provider read its own compaction instead of the sent conversation. */
function compactionSince({ folded, usage }: Pick<UsagePayload, "folded"> & { readonly usage: number }): PromptChange[] {
  return folded === undefined ? [] : [{ cause: "boundary", at: usage, what: ["compacted by the provider"] }];
}

/** Returns the tokens that a perfect cache reads: everything the previous request left there that this request still starts with. */
function perfectRead(
  billed: BilledTokens,
  previous: PreviousRequest | undefined,
  { request, changes, usage, payload }: Compared,
): number {
  // The provider does not report where its edits begin, so the tokens that it read count as all that could be read.
  if (previous === undefined || changes.some(({ at }) => at === usage)) return billed.cacheReadTokens;
  const { freshTokens, cacheReadTokens, cacheWriteTokens } = previous;
  // A service that reports reads but no writes caches the whole input.
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

/** Returns the cache break of a response, if the cache held much less than the previous request had left. */
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
    rebilledUsd: prices === undefined ? undefined : priceUsd(billed, prices) - priceUsd(better, prices),
    ...(announcedTokens === 0 ? {} : { announcedTokens }),
    pauseMs: Math.max(0, atMs - previous.atMs),
    ...(payload.cacheDiagnosis === undefined || payload.cacheDiagnosis.reason === "unknown"
      ? {}
      : { providerSays: payload.cacheDiagnosis.reason }),
  };
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
