// Describes the window before one request, for the rules of the policy.

import {
  callKey,
  clearableTools,
  goneResults,
  type ResultIndex,
  type ShownResult,
  uncountedResults,
} from "../clear/clear.ts";
import { preparedSummaryOf } from "../compact/ahead.ts";
import { costsOf, HOUR_MS, LIFETIME_MS } from "../cost/ledger.ts";
import { cachedPrompt } from "../cost/misses.ts";
import { HEAD } from "../log/messages.ts";
import { pingObstacle } from "../policy/guard.ts";
import { needChance, sortOfTool } from "../policy/need-chance.ts";
import type { Pause, PauseActivity } from "../policy/policy.ts";
import type {
  CacheSegment,
  CacheState,
  DecisionHistory,
  ModelState,
  NotesState,
  Prices,
  ResultState,
  WindowState,
} from "../policy/window-state.ts";
import { addFeatures, estimateTokens, type Features, missedTokens, NO_FEATURES } from "../size/calibration.ts";
import { mayTry, WINDOW_BREAKER } from "../state/carried.ts";
import type { SessionCore } from "../state/core.ts";
import type { RequestLimits } from "../state/limits.ts";
import { fileOf } from "../view/items.ts";
import { openCalls } from "../view/turn.ts";
import { isTurnOpen, type MessageItem, sizeTokens, type View } from "../view/view.ts";

/** Model calls for compactions between two user messages. */
const MAX_COMPACTION_CALLS = 8;

interface WindowSources {
  readonly core: SessionCore;
  readonly limits: RequestLimits;
  readonly results: ResultIndex;
  readonly totalBytes: number;
  /** Whether the rules see the results. */
  readonly listResults: boolean;
  readonly held: DecisionHistory["held"];
}

/** Describes the window. The list of results is made only if a rule reads it. */
export function windowStateOf(sources: WindowSources): WindowState {
  const { core, limits, totalBytes } = sources;
  const { ports, state, attendance } = core;
  const { view, carriedState } = state;
  const { budget, facts } = limits;
  const nowMs = ports.clock.now();
  const tokens = sizeTokens(view);
  const headTokens = headTokensOf(view);
  const prices = pricesOf(sources);
  const gone = goneFrom(sources);
  const scale = scaleOf(sources, tokens, gone);
  const last = view.items.findLast(({ kind }) => kind === "message") as MessageItem | undefined;
  let results: readonly ResultState[] | undefined;
  const window: WindowState = {
    nowMs,
    model: modelOf(core, limits),
    window: {
      tokens: budget.windowTokens,
      usableTokens: budget.usableTokens,
      hardLimitTokens: budget.hardLimitTokens,
      bytes: facts.maxRequestBytes,
      source: limits.known === "guessed" ? "guess" : "known",
    },
    size: { tokens, headTokens, bytes: totalBytes },
    prices,
    cache: cacheOf(sources, { nowMs, tokens, headTokens, scale, prices, gone }),
    turn: {
      status: isTurnOpen(view) ? "open" : last?.role === "user" ? "starting" : "idle",
      get rounds() {
        return roundsOf(view);
      },
      get pendingCalls() {
        return openCalls(view).map(({ call }) => call.id);
      },
      attended: attendance.kind === "attended",
    },
    get results() {
      results ??= !sources.listResults ? [] : resultsOf(sources, { scale, gone });
      return results;
    },
    history: historyOf(sources, tokens, headTokens),
    prepared: preparedSummaryOf(core),
    notes: notesOf(core),
    compactsAt: undefined,
    marks: carriedState.marks,
  };
  return frozen(window);
}

/** A rule that writes into the state throws, and cannot mislead other rules. Freezes no list that is not made yet. */
function frozen(state: WindowState): WindowState {
  const { model, window, size, prices, cache, turn, history, prepared, notes, marks } = state;
  const parts = [model, window, size, prices, prices.above, cache, cache.segments, turn, history, history.failures];
  for (const part of [
    ...parts,
    ...cache.segments,
    history.lastCompaction,
    prepared,
    notes,
    marks,
    ...Object.values(marks),
  ])
    Object.freeze(part);
  return Object.freeze(state);
}

/** The tokens of everything that stands before the conversation, and stays there after a compaction. */
export function headTokensOf(view: View): number {
  return Math.max(0, estimateTokens(view.calibration, featuresOfHead(view)) + missedTokens(view.calibration));
}

/** The tokens of the system prompt and the tools. */
function configurationTokens({ calibration, configuration }: View): number {
  return Math.max(0, estimateTokens(calibration, configuration?.features ?? NO_FEATURES) + missedTokens(calibration));
}

function featuresOfHead({ configuration, items }: View): Features {
  const features = configuration?.features ?? NO_FEATURES;
  // The head is sent with the first request.
  for (const item of items) {
    if (item.kind === "seal") break;
    if (item.attachment === HEAD) return addFeatures(features, item.features);
  }
  return features;
}

function modelOf({ ports, state }: SessionCore, { facts, rules }: RequestLimits): ModelState {
  const { provider } = ports;
  const { model, parameters } = state.configuration;
  return {
    id: model,
    thinking: rules.thinking,
    contextEdits: provider.takesEdits?.(parameters) === "yes" ? "results-and-thinking" : "none",
    deletesFromCache: provider.cacheEdits !== undefined,
    compacts: provider.renderCompaction !== undefined,
    forks: true,
    // A provider with a lifetime of its own offers no choice.
    cacheLifetimes: facts.cacheLifetimeMs === undefined ? ["5m", "1h"] : [],
  };
}

function pricesOf({ core, limits }: WindowSources): Prices {
  const { prices } = limits.facts;
  const { lifetimeMs = 0 } = core.state.ledger.sources["main"]?.previous ?? {};
  const { input, read, write, output, usdPerUnit } = costsOf(prices, { lifetimeMs });
  const above = prices?.above;
  return {
    input,
    read,
    write,
    output,
    usdPerUnit,
    above: above && {
      inputTokens: above.inputTokens,
      input: above.input,
      read: above.cacheRead,
      write: lifetimeMs >= HOUR_MS ? above.cacheWrite1h : above.cacheWrite5m,
      output: above.output,
    },
  };
}

/** The results that the provider leaves out. The view still has them, but they are not part of the prompt. */
interface Gone {
  readonly results: ReadonlySet<ShownResult>;
  /** Those of them that the size of the view leaves out. */
  readonly uncounted: ReadonlySet<ShownResult>;
  /** The tokens of uncounted results before a place, which is given in tokens of all items. */
  before(tokens: number): number;
}

function goneFrom({ core, results: index }: WindowSources): Gone {
  const { view } = core.state;
  const uncounted = uncountedResults(index, view);
  return {
    results: goneResults(index, view),
    uncounted,
    before: (tokens) =>
      [...uncounted].reduce((sum, result) => (result.beforeTokens < tokens ? sum + result.tokens : sum), 0),
  };
}

/** The sizes of items are estimates. Their sum is scaled to the size of the conversation, which the provider has reported. */
function scaleOf({ core, results }: WindowSources, tokens: number, gone: Gone): number {
  const { view } = core.state;
  const itemTokens = results.totalTokens - gone.before(Number.POSITIVE_INFINITY);
  const conversationTokens = Math.max(0, tokens - configurationTokens(view));
  return itemTokens === 0 ? 1 : Math.min(2, Math.max(0.5, conversationTokens / itemTokens));
}

interface Measured {
  readonly nowMs: number;
  readonly tokens: number;
  readonly headTokens: number;
  readonly scale: number;
  readonly prices: Prices;
  readonly gone: Gone;
}

function cacheOf({ core, limits, results }: WindowSources, measured: Measured): CacheState {
  const { nowMs, tokens, headTokens, scale, prices, gone } = measured;
  const { ledger, view } = core.state;
  const previous = ledger.sources["main"]?.previous;
  const keptWarm = isKeptWarm(core, limits, tokens);
  if (previous === undefined) return { status: "new", idleMs: 0, segments: [], keptWarm };
  const status = cachedPrompt(previous, nowMs) === "warm" ? "warm" : "cold";
  const { atMs, lifetimeMs, headLifetimeMs = lifetimeMs } = previous;
  const segment = (name: CacheSegment["name"], endTokens: number, expiresAtMs: number): CacheSegment => ({
    name,
    endTokens,
    status: nowMs < expiresAtMs ? "warm" : "cold",
    expiresAtMs,
    missCost: endTokens * (prices.write - prices.read),
  });
  const before = configurationTokens(view);
  const unchanged = unchangedTokens(core, results);
  const conversation = status === "warm" ? results.markedTokens.filter((end) => end <= unchanged) : [];
  return {
    status,
    idleMs: nowMs - atMs,
    segments: [
      segment("head", headTokens, atMs + headLifetimeMs),
      ...conversation.map((end) =>
        segment("conversation", Math.floor(before + (end - gone.before(end)) * scale), atMs + lifetimeMs),
      ),
    ],
    keptWarm,
  };
}

/** Whether the session would send a first ping if a pause began now, while a tool runs and also while a person is away. */
export function isKeptWarm(
  { policy, ports, state, attendance }: SessionCore,
  { facts }: RequestLimits,
  prefixTokens: number,
): boolean {
  const rule = policy.current.cache.keepWarm;
  const canPing = ports.provider.renderPing !== undefined && ports.pings.sendable;
  if (rule === undefined || !canPing || ports.pings.refusal.because !== undefined) return false;
  if (attendance.kind === "unattended") return false;
  const { lifetimeMs = facts.cacheLifetimeMs ?? LIFETIME_MS["5m"] } = state.ledger.sources["main"]?.previous ?? {};
  const activities: readonly PauseActivity[] = ["tool-runs", "waiting"];
  return activities.every((activity) => {
    const pause: Pause = {
      activity,
      sinceMs: 0,
      refreshedAtMs: 0,
      lifetimeMs,
      prefixTokens,
      costs: costsOf(facts.prices, { lifetimeMs, inputTokens: prefixTokens }),
      pings: 0,
      spentUsd: 0,
      nowMs: 0,
    };
    return pingObstacle(rule, pause, policy).value === undefined;
  });
}

/** The tokens before the first change that the newest answered request did not contain. */
function unchangedTokens({ state }: SessionCore, { results }: ResultIndex): number {
  const { pending, sources } = state.ledger;
  const { request = 0 } = sources["main"]?.previous ?? {};
  const changes = pending.map(({ from = 0 }) => from).filter((from) => from <= request);
  if (changes.length === 0) return Number.POSITIVE_INFINITY;
  const first = Math.min(...changes);
  // The changed entry is usually a result. Otherwise the prompt is unchanged at least up to the last result before the entry.
  const changed = results.find(({ entry }) => entry === first);
  const before = results.findLast(({ entry }) => entry < first);
  return changed?.beforeTokens ?? (before === undefined ? 0 : before.beforeTokens + before.tokens);
}

function roundsOf({ items }: View): number {
  let rounds = 0;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]!;
    if (item.kind === "seal") rounds++;
    else if (item.origin === "human") break;
  }
  return rounds;
}

function resultsOf(
  { core, results: index }: WindowSources,
  { scale, gone }: Pick<Measured, "scale" | "gone">,
): readonly ResultState[] {
  const { view, configuration } = core.state;
  const isClearable = clearableTools(configuration.tools);
  const before = configurationTokens(view);
  const askedFor = new Set(index.results.filter(({ state }) => state === "replaced").map(({ call }) => callKey(call)));
  const count = index.results.length;
  let goneTokens = 0;
  const results = index.results.map((result, at): ResultState => {
    const { entry, call, state, status, tokens, beforeTokens } = result;
    const file = call && fileOf(call);
    const sort = result.sort === "memory" ? "memory" : sortOfTool(call?.name ?? "", file?.access);
    const goneBefore = goneTokens;
    if (gone.uncounted.has(result)) goneTokens += tokens;
    return Object.freeze({
      entry,
      tool: call?.name ?? "",
      sort,
      shown: state === "replaced" || gone.results.has(result) ? "cleared" : state,
      clearable: sort === "memory" || (call !== undefined && status === "ok" && isClearable(call.name)),
      askedAgain: call !== undefined && state !== "replaced" && askedFor.has(callKey(call)),
      tokens: Math.ceil(tokens * scale),
      beforeTokens: Math.floor(before + (beforeTokens - goneBefore) * scale),
      needChance: needChance(sort, count - 1 - at),
      path: file?.path,
    });
  });
  return Object.freeze(results);
}

function historyOf({ core, held }: WindowSources, tokens: number, headTokens: number): DecisionHistory {
  const { carriedState, newestEntry } = core.state;
  const { chain, lastChange, breaker, calls, userMessages, takenBack } = carriedState;
  const seen = { nowMs: core.ports.clock.now(), userMessages, viewChangedAt: newestEntry };
  return {
    turns: userMessages,
    compactions: chain.boundaries,
    grownTokens: Math.max(0, tokens - (lastChange?.tokensAfter ?? headTokens)),
    lastCompaction:
      chain.tokensAfter === undefined
        ? undefined
        : {
            entry: chain.boundary,
            turnsAgo: chain.turns,
            keptTokens: Math.max(0, chain.tokensAfter - headTokens),
            undone: takenBack.length > 0,
          },
    breaker: mayTry(breaker, seen, WINDOW_BREAKER) ? "closed" : "open",
    held,
    callsLeft: Math.max(0, MAX_COMPACTION_CALLS - calls),
    failures: core.policy.failures,
  };
}

/** The size of notes that nobody has counted. */
const USUAL_NOTES_TOKENS = 4_000;

function notesOf({ policy, state }: SessionCore): NotesState | undefined {
  if (policy.current.notes === undefined) return undefined;
  const { view, carriedState } = state;
  const { coveredTo = 0 } = carriedState.notes ?? {};
  let uncovered: Pick<NotesState, "uncoveredTokens" | "toolCallsSince"> | undefined;
  const count = () => {
    uncovered ??= uncoveredBy(coveredTo, view);
    return uncovered;
  };
  return {
    coveredTo,
    tokens: carriedState.notes === undefined ? 0 : USUAL_NOTES_TOKENS,
    get uncoveredTokens() {
      return count().uncoveredTokens;
    },
    get toolCallsSince() {
      return count().toolCallsSince;
    },
  };
}

/** The messages that the notes do not cover yet. They are the newest, so only these are read. */
function uncoveredBy(coveredTo: number, { items, calibration }: View) {
  let [uncoveredTokens, toolCallsSince] = [0, 0];
  for (let index = items.length - 1; index >= 0 && items[index]!.to > coveredTo; index--) {
    const item = items[index]!;
    if (item.kind === "seal") continue;
    uncoveredTokens += estimateTokens(calibration, item.features);
    toolCallsSince += item.blocks.filter(({ kind }) => kind === "tool_call").length;
  }
  return { uncoveredTokens, toolCallsSince };
}
