// Builds the ledger: a fold over the log that adds up what each response cost, what a perfect cache would have saved, and why it
// did not.

import type { Cause, ForkUse, ModelPrices, PromptChange } from "../log/cause.ts";
import type { PassedOver, ReadEntry } from "../log/entry.ts";
import type { BoundaryPayload, ReplacePayload, RewindPayload, UsagePayload } from "../log/payload.ts";
import { inputTokensOf } from "../log/usage.ts";
import {
  addToRhythm,
  addTotals,
  type BilledTokens,
  type CacheBreak,
  type CauseTotals,
  KEEP_WARM,
  type Ledger,
  type LedgerLine,
  NO_TOTALS,
  newestAnswered,
  type OpenRequest,
  ownSource,
  type PreviousRequest,
  priceUsd,
  readLedger,
  type SourceLedger,
  withCacheRead,
} from "./ledger.ts";
import { cachedPrompt, checkDiagnosis, findDrop, isExpected, leftInCache, nameCauses } from "./misses.ts";

/** Adds one entry to the ledger, in log order, including decisions that a later `restore` undoes. */
export function foldLedger(ledger: Ledger, read: ReadEntry | PassedOver, atMs: number): Ledger {
  const at = read.sequence;
  switch (read.kind) {
    case "request": {
      const { source = "main", cache } = read.payload;
      return open(ledger, source, { request: at, at, atMs, cache });
    }
    case "usage":
      return refresh(enter(ledger, read.payload, lineOf(ledger, at, read.payload, atMs)), read.payload, atMs);
    case "replace":
      return note(ledger, { cause: "replace", at, ...placeOf(read.payload) });
    case "restore":
      return note(ledger, { cause: "restore", at, from: read.payload.from, what: [read.payload.reason] });
    case "boundary":
      return readLedger(read.payload.state.ledger);
    case "rewind":
      return rewind(at, read.payload, atMs);
    case "fork":
      return readLedger(read.payload.ledger);
    default:
      return ledger;
  }
}

/** Returns the ledger that a boundary carries. It includes the boundary itself. */
export function ledgerAtBoundary(
  ledger: Ledger,
  at: number,
  payload: Pick<BoundaryPayload, keyof ReplacePayload>,
): Ledger {
  return note(ledger, { cause: "boundary", at, ...placeOf(payload) });
}

const KEPT_BREAKS = 50;
/** A request without a response is forgotten after this many others. */
const KEPT_OPEN_REQUESTS = 8;

const NEW_SOURCE: SourceLedger = { totals: NO_TOTALS, causes: {}, open: [] };
const NOTHING_LOST: CauseTotals = { breaks: 0, rebilledTokens: 0, rebilledUsd: 0, gapUsd: 0 };

function open(ledger: Ledger, source: string, request: OpenRequest): Ledger {
  const known = ledger.sources[source] ?? NEW_SOURCE;
  const opened = { ...known, open: [...known.open, request].slice(-KEPT_OPEN_REQUESTS) };
  return { ...ledger, sources: { ...ledger.sources, [source]: opened } };
}

/** Adds a line, and makes its request the previous request for the next comparison. */
function enter(ledger: Ledger, payload: UsagePayload, line: LedgerLine): Ledger {
  const source = ledger.sources[line.source] ?? NEW_SOURCE;
  const request = openRequest(ledger, payload);
  const inputTokens = inputTokensOf(payload);
  const isReported = inputTokens > 0 && payload.estimated !== "all";
  const isNewest = request !== undefined && isReported && request.at >= (source.previous?.at ?? 0);
  const newest = isNewest && {
    previous: toPrevious(request, payload, line),
    rhythm: addToRhythm(source.rhythm, request.atMs),
  };
  const entered: SourceLedger = {
    ...source,
    ...newest,
    totals: addTotals(source.totals, totalsOf(line)),
    causes: addCause(source.causes, line),
    open: source.open.filter((one) => one !== request),
  };
  return {
    sources: { ...ledger.sources, [line.source]: entered },
    pending: isNewest ? ledger.pending.filter(({ at }) => at > request.at) : ledger.pending,
    breaks: line.break === undefined ? ledger.breaks : [...ledger.breaks, line.break].slice(-KEPT_BREAKS),
  };
}

function toPrevious(
  { request, at, atMs, cache }: OpenRequest,
  payload: UsagePayload,
  { break: found }: LedgerLine,
): PreviousRequest {
  const { responseId, freshTokens, cacheReadTokens, cacheWriteTokens, appliedEdits, deletedTokens } = payload;
  // More tokens were lost than read: the prompt that the deletions refer to is gone.
  const isCold = found !== undefined && found.droppedTokens > cacheReadTokens;
  const { configuration = 0, images = "none", lifetimeMs = Number.MAX_SAFE_INTEGER, headLifetimeMs } = cache ?? {};
  return {
    request,
    at,
    atMs,
    configuration,
    images,
    lifetimeMs,
    headLifetimeMs,
    // The provider may not know an unfinished response, so no request names it for diagnostics.
    responseId: payload.ending === "interrupted" ? "" : responseId,
    freshTokens,
    cacheReadTokens,
    cacheWriteTokens,
    edits: cache?.edits,
    appliedEdits,
    deletedTokens,
    ...(isCold && cache?.deleted !== undefined ? { deletions: "stale" } : {}),
  };
}

function totalsOf(line: LedgerLine): typeof NO_TOTALS {
  const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = line;
  return {
    responses: 1,
    freshTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    priceUsd: line.priceUsd ?? 0,
    perfectPriceUsd: line.perfectPriceUsd ?? 0,
    forksMissedUsd: line.forkExpectedTokens === undefined ? 0 : (line.break?.rebilledUsd ?? 0),
    unpricedResponses: line.priceUsd === undefined ? 1 : 0,
    ...(line.estimated === undefined ? {} : { estimatedResponses: 1, estimatedUsd: line.priceUsd ?? 0 }),
  };
}

function addCause(causes: SourceLedger["causes"], line: LedgerLine): SourceLedger["causes"] {
  const [cause] = line.causes;
  if (cause === undefined) return causes;
  const sum = causes[cause] ?? NOTHING_LOST;
  const lost = {
    breaks: sum.breaks + (line.break === undefined ? 0 : 1),
    rebilledTokens: sum.rebilledTokens + (line.break?.rebilledTokens ?? 0),
    rebilledUsd: sum.rebilledUsd + (line.break?.rebilledUsd ?? 0),
    gapUsd: sum.gapUsd + (line.gapUsd ?? 0),
  };
  return { ...causes, [cause]: lost };
}

/** Restarts the cache lifetime of the main conversation if the response answers a ping. */
function refresh(ledger: Ledger, payload: UsagePayload, atMs: number): Ledger {
  const { main } = ledger.sources;
  const { source, answers, madeAtMs = atMs, cacheReadTokens, cacheWriteTokens } = payload;
  const isPing = source === KEEP_WARM && cacheReadTokens + cacheWriteTokens > 0;
  // A ping whose answer arrives after the next request was answered has refreshed a prompt that is no longer used.
  if (!isPing || main?.previous === undefined || main.previous.request !== answers) return ledger;
  const previous = { ...main.previous, atMs: Math.max(main.previous.atMs, madeAtMs) };
  return { ...ledger, sources: { ...ledger.sources, main: { ...main, previous } } };
}

/** Returns to an earlier point in the log. A request that was waiting for its answer there is waiting again. */
function rewind(at: number, { ledger: stored, sharedTo, reason, request }: RewindPayload, atMs: number): Ledger {
  const noted = note(readLedger(stored), { cause: "rewind", at, from: sharedTo + 1, what: [reason] });
  if (request === undefined) return noted;
  const previous = newestAnswered(noted);
  const changes = noted.pending.filter(({ from = 0 }) => from <= (previous?.request ?? 0));
  const { keptTokens: _, ...facts } = request.cache ?? { configuration: 0, images: "none", lifetimeMs: 0 };
  const compared = previous === undefined ? {} : { comparedWith: previous.at };
  return open(noted, ownSource(noted), { request: request.entry, at, atMs, cache: { ...facts, ...compared, changes } });
}

/** Adds a change to the pending changes. There is one change per cause, with the newest entry and the earliest place. */
function note(ledger: Ledger, change: PromptChange): Ledger {
  const known = ledger.pending.find(({ cause }) => cause === change.cause);
  const announcedTokens = (known?.announcedTokens ?? 0) + (change.announcedTokens ?? 0);
  const merged: PromptChange = {
    ...change,
    from: Math.min(known?.from ?? Number.MAX_SAFE_INTEGER, change.from ?? 0),
    ...(announcedTokens === 0 ? {} : { announcedTokens }),
  };
  return { ...ledger, pending: [...ledger.pending.filter((one) => one !== known), merged] };
}

function placeOf({ from, reason, cost }: ReplacePayload): Omit<PromptChange, "cause" | "at"> {
  const announced = cost === undefined ? {} : { announcedTokens: cost.invalidatedPrefixTokens };
  return { from, what: [reason], ...announced };
}

// ------------------------------------------------------------------------------------------------ the line of one response

/** Returns the ledger line for a usage entry. */
export function lineOf(ledger: Ledger, usage: number, payload: UsagePayload, atMs: number): LedgerLine {
  const { model, answers, source = "main", cacheDiagnosis, fork } = payload;
  const request = openRequest(ledger, payload);
  const previous = comparable(ledger, payload);
  const billed = billedOf(payload);
  const prices = payload.prices ?? request?.cache?.prices;
  const madeAtMs = request?.atMs ?? payload.madeAtMs ?? atMs;
  const response = { ledger, payload, usage, atMs: madeAtMs };
  const found = fork === undefined ? compare(response, previous) : compareAsFork(response, fork);
  const { perfectReadTokens, causes, break: cacheBreak, forkExpectedTokens } = found;
  const priced = prices && {
    priceUsd: priceUsd(billed, prices),
    perfectPriceUsd: priceUsd(withCacheRead(billed, perfectReadTokens), prices),
  };
  const diagnosis = cacheDiagnosis && previous && checkDiagnosis(causes, cacheDiagnosis);
  const lost = cacheBreak !== undefined || perfectReadTokens > billed.cacheReadTokens;
  return {
    usage,
    request: answers,
    source,
    atMs: madeAtMs,
    model,
    ...billed,
    perfectReadTokens,
    forkExpectedTokens,
    ...(priced === undefined ? {} : { ...priced, gapUsd: priced.priceUsd - priced.perfectPriceUsd }),
    causes: lost ? causes : [],
    break: cacheBreak,
    diagnosis,
    estimated: payload.estimated,
  };
}

/** A response to compare with the previous request. */
interface Response {
  readonly ledger: Ledger;
  readonly payload: UsagePayload;
  readonly usage: number;
  /** When its request was made. */
  readonly atMs: number;
}

/** What the cache held of a request, and what a perfect cache would have held. */
interface Comparison {
  readonly perfectReadTokens: number;
  readonly causes: readonly Cause[];
  readonly break: CacheBreak | undefined;
  /** Set for the first response of a fork. */
  readonly forkExpectedTokens: number | undefined;
}

/** Compares the request of a response with the previous request. */
function compare(response: Response, previous: PreviousRequest | undefined): Comparison {
  const { ledger, payload, usage, atMs } = response;
  const billed = billedOf(payload);
  if (previous === undefined) {
    return { perfectReadTokens: billed.cacheReadTokens, causes: [], break: undefined, forkExpectedTokens: undefined };
  }
  const request = openRequest(ledger, payload);
  const changes = changesSince(previous, request, { ...payload, usage });
  const causes = causesOf(changes, previous, atMs);
  const leftTokens = leftInCache(previous, payload);
  const isForked = previous.of === "parent";
  const expectedTokens = isForked && !isReadable(previous, changes, atMs) ? 0 : leftTokens;
  const announcedTokens = changes.reduce((sum, change) => sum + (change.announcedTokens ?? 0), 0);
  return {
    perfectReadTokens: perfectRead(billed, previous, { request, changes, usage, payload }),
    causes,
    break: findBreak(response, {
      leftTokens: expectedTokens,
      causes,
      what: changes.flatMap(({ what }) => what ?? []),
      pauseMs: Math.max(0, atMs - previous.atMs),
      prices: request?.cache?.prices,
      announcedTokens,
      providerSays: payload.cacheDiagnosis?.reason,
    }),
    forkExpectedTokens: isForked ? expectedTokens : undefined,
  };
}

/** Takes the comparison of a fork's response from the ledger of the fork. */
function compareAsFork(response: Response, { perfectReadTokens, causes, first }: ForkUse): Comparison {
  if (first === undefined) return { perfectReadTokens, causes, break: undefined, forkExpectedTokens: undefined };
  const { expectedTokens, ...facts } = first;
  const { prices } = response.payload;
  return {
    perfectReadTokens,
    causes,
    break: findBreak(response, {
      leftTokens: expectedTokens,
      causes,
      what: facts.what,
      pauseMs: facts.pauseMs,
      prices,
      announcedTokens: 0,
      providerSays: facts.providerSays,
    }),
    forkExpectedTokens: expectedTokens,
  };
}

/**
 * Whether the first request of a fork can read what its parent left: the cache has not expired, the model is the same, and the fork
 * starts with the parent's whole request. After a decision of the parent about its messages, the fork does not start with it.
 */
function isReadable(parent: PreviousRequest, changes: readonly PromptChange[], atMs: number): boolean {
  const isOther = changes.some(({ cause, from }) => cause === "provider" || cause === "model" || from !== undefined);
  return !isOther && cachedPrompt(parent, atMs) === "warm";
}

/** Returns what the ledger of a fork says about one of its responses, for the ledger of the parent. */
export function forkUseOf(line: LedgerLine): ForkUse {
  const { perfectReadTokens, causes, forkExpectedTokens: expectedTokens, break: cacheBreak } = line;
  if (expectedTokens === undefined) return { perfectReadTokens, causes };
  const { what = [], pauseMs = 0, providerSays } = cacheBreak ?? {};
  return { perfectReadTokens, causes, first: { expectedTokens, what, pauseMs, providerSays } };
}

/** Returns the waiting request that a response answers, if there is one. */
function openRequest({ sources }: Ledger, { source = "main", answers }: UsagePayload): OpenRequest | undefined {
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
  previous: PreviousRequest,
  { request, changes, usage, payload }: Compared,
): number {
  // The provider does not report where its edits begin, so the tokens that it read count as all that could be read.
  if (changes.some(({ at }) => at === usage)) return billed.cacheReadTokens;
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
function findBreak(
  { payload, usage, atMs }: Response,
  { leftTokens, causes, what, pauseMs, prices, announcedTokens, providerSays }: BreakFacts,
): CacheBreak | undefined {
  const { cacheReadTokens } = payload;
  const droppedTokens = findDrop({ cacheReadTokens: leftTokens, cacheWriteTokens: 0 }, { cacheReadTokens });
  if (droppedTokens === undefined) return undefined;
  const billed = billedOf(payload);
  const rebilledTokens = Math.max(0, Math.min(leftTokens, inputTokensOf(billed)) - billed.cacheReadTokens);
  const better = withCacheRead(billed, billed.cacheReadTokens + rebilledTokens);
  return {
    usage,
    source: payload.source ?? "main",
    atMs,
    causes,
    what,
    sort: isExpected(causes) ? "expected" : "alarm",
    droppedTokens,
    rebilledTokens,
    rebilledUsd: prices === undefined ? undefined : priceUsd(billed, prices) - priceUsd(better, prices),
    ...(announcedTokens === 0 ? {} : { announcedTokens }),
    pauseMs,
    ...(providerSays === undefined || providerSays === "unknown" ? {} : { providerSays }),
  };
}

interface BreakFacts {
  /** The tokens that the previous request left in the cache. */
  readonly leftTokens: number;
  readonly causes: readonly Cause[];
  readonly what: readonly string[];
  readonly pauseMs: number;
  readonly prices: ModelPrices | undefined;
  /** The tokens that decisions expected to invalidate; 0 if they named no number. */
  readonly announcedTokens: number;
  readonly providerSays: CacheBreak["providerSays"];
}
