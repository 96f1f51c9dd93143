// Builds the ledger: a fold over the log that adds up what each response cost, and why.

import type { PromptChange } from "../log/cause.ts";
import type { PassedOver, ReadEntry } from "../log/draft.ts";
import type { BoundaryPayload, ReplacePayload, RewindPayload, UsagePayload } from "../log/payload.ts";
import { inputTokensOf } from "../log/usage.ts";
import {
  addToRhythm,
  addTotals,
  type CauseTotals,
  EMPTY_LEDGER,
  KEEP_WARM,
  type Ledger,
  type LedgerLine,
  NO_TOTALS,
  type OpenRequest,
  type PreviousRequest,
  readLedger,
  type SourceLedger,
} from "./ledger.ts";
import { lineOf, openRequest } from "./line.ts";

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
      // Earlier spending belongs to the parent session.
      return EMPTY_LEDGER;
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
    pending: isNewest && line.source === "main" ? ledger.pending.filter(({ at }) => at > request.at) : ledger.pending,
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
  const previous = noted.sources["main"]?.previous;
  const changes = noted.pending.filter(({ from = 0 }) => from <= (previous?.request ?? 0));
  const { keptTokens: _, ...facts } = request.cache ?? { configuration: 0, images: "none", lifetimeMs: 0 };
  const compared = previous === undefined ? {} : { comparedWith: previous.at };
  return open(noted, "main", { request: request.entry, at, atMs, cache: { ...facts, ...compared, changes } });
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
