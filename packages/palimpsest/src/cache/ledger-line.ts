import type { Cause, PromptChange } from "../log/cause.ts";
import { inputTokensOf } from "../log/input-tokens.ts";
import type { UsagePayload } from "../log/payload.ts";
import { checkDiagnosis } from "./check-diagnosis.ts";
import { findDrop, isExpected, nameCauses } from "./find-break.ts";
import type { CacheBreak, Ledger, LedgerLine, OpenRequest, PreviousRequest } from "./ledger.ts";
import { type BilledTokens, priceUsd, withCacheRead } from "./prices.ts";

/** What an entry of use adds to the ledger, as one line. */
export function lineOf(ledger: Ledger, usage: number, payload: UsagePayload, atMs: number): LedgerLine {
  const { model, answers, source = "main", cacheDiagnosis } = payload;
  const request = openRequest(ledger, payload);
  const previous = comparable(ledger, payload);
  const billed = billedOf(payload);
  const prices = payload.prices ?? request?.cache?.prices;
  const madeAtMs = request?.atMs ?? payload.madeAtMs ?? atMs;
  const causes = previous === undefined ? [] : causesOf(previous, request, madeAtMs);
  const perfectReadTokens = perfectRead(billed, previous, request);
  const found = previous && findBreak({ ledger, payload, usage, atMs: madeAtMs, previous, causes });
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
  };
}

function billedOf(payload: UsagePayload): BilledTokens {
  const { freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = payload;
  const long = cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens };
  return { freshTokens, cacheReadTokens, cacheWriteTokens, ...long, outputTokens };
}

/** The request that a response answers, if it is known to wait for one. */
export function openRequest({ sources }: Ledger, { source = "main", answers }: UsagePayload): OpenRequest | undefined {
  return sources[source]?.open.findLast(({ request }) => request === answers);
}

/** What a response is compared with: nothing, if it comes after that of a later request, or if no usage was reported. */
function comparable(ledger: Ledger, payload: UsagePayload): PreviousRequest | undefined {
  const previous = ledger.sources[payload.source ?? "main"]?.previous;
  const request = openRequest(ledger, payload);
  if (previous === undefined || inputTokensOf(payload) === 0) return undefined;
  return request === undefined || request.at < previous.at ? undefined : previous;
}

function causesOf(previous: PreviousRequest, request: OpenRequest | undefined, atMs: number): readonly Cause[] {
  const changes = changesSince(previous, request);
  // What was read is what the request before had written, for as long as that one had asked for.
  return nameCauses({ changes, pauseMs: atMs - previous.atMs, lifetimeMs: previous.lifetimeMs });
}

/** A request that was made before the one before it was answered was compared with an older one. */
function changesSince(previous: PreviousRequest, request: OpenRequest | undefined): readonly PromptChange[] {
  const { changes = [], comparedWith } = request?.cache ?? {};
  return comparedWith === previous.at ? changes : changes.filter(({ at }) => at > previous.at);
}

/** All that the request before left in the cache and that is still the beginning of this one. */
function perfectRead(
  billed: BilledTokens,
  previous: PreviousRequest | undefined,
  request: OpenRequest | undefined,
): number {
  if (previous === undefined) return billed.cacheReadTokens;
  const { freshTokens, cacheReadTokens, cacheWriteTokens } = previous;
  // Where writing is not reported, but something was read, the service caches all of it by itself.
  const unreported = cacheWriteTokens === 0 && cacheReadTokens > 0 ? freshTokens : 0;
  const leftTokens = cacheReadTokens + cacheWriteTokens + unreported;
  const keptTokens = Math.min(leftTokens, request?.cache?.keptTokens ?? leftTokens);
  return Math.max(billed.cacheReadTokens, Math.min(keptTokens, inputTokensOf(billed)));
}

interface Comparison {
  readonly ledger: Ledger;
  readonly payload: UsagePayload;
  readonly usage: number;
  readonly atMs: number;
  readonly previous: PreviousRequest;
  readonly causes: readonly Cause[];
}

function findBreak({ ledger, payload, usage, atMs, previous, causes }: Comparison): CacheBreak | undefined {
  const droppedTokens = findDrop(previous, payload);
  if (droppedTokens === undefined) return undefined;
  const request = openRequest(ledger, payload);
  const changes = changesSince(previous, request);
  const billed = billedOf(payload);
  const leftTokens = previous.cacheReadTokens + previous.cacheWriteTokens;
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
  };
}
