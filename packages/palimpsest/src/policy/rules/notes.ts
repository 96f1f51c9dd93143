// When to update the session's notes.

import { A_COUNT, anObject, checkAllOptions, ifGiven, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import { grouped } from "../../text.ts";
import { cachedUpTo, ratesAt } from "../decide.ts";
import type { CompactReason, NotesRule } from "../policy.ts";
import type { TokenPrices, WindowState } from "../window-state.ts";
import { nearlyFullAt } from "./when.ts";

/** The sizes of notes, and what stays when the notes take the place of a summary. */
export interface NotesNumbers {
  /** @default 2_000 */
  readonly sectionTokens?: number;
  /** @default 12_000 */
  readonly totalTokens?: number;
  /** @default at least 10,000 tokens and 5 messages with text, at most 40,000 tokens */
  readonly keep?: NotesRule["keep"];
}

const USUAL_KEEP: NotesRule["keep"] = { tokens: 10_000, messages: 5, maxTokens: 40_000 };

const NOTES = {
  sectionTokens: MAYBE_A_COUNT,
  totalTokens: MAYBE_A_COUNT,
  keep: ifGiven(anObject("an object with tokens, messages and maxTokens")),
};

export interface GrowthNumbers extends NotesNumbers {
  /** The size of the conversation before the first update. */
  readonly firstTokens: number;
  /** New tokens before each update. */
  readonly growthTokens: number;
  /** Tool calls before each update. Fewer are enough at the end of a turn. */
  readonly toolCalls: number;
}

/** After a fixed amount of growth and a fixed number of tool calls, as in comparable systems. Costs play no part. */
export function notesByGrowth(numbers: GrowthNumbers): NotesRule {
  const known = { firstTokens: A_COUNT, growthTokens: A_COUNT, toolCalls: A_COUNT, ...NOTES };
  checkAllOptions("notesByGrowth", numbers, known);
  const {
    firstTokens,
    growthTokens,
    toolCalls,
    sectionTokens = 2_000,
    totalTokens = 12_000,
    keep = USUAL_KEEP,
  } = numbers;
  return {
    name: "notes-by-growth",
    params: { firstTokens, growthTokens, toolCalls, sectionTokens, totalTokens, keep: { ...keep } },
    sectionTokens,
    totalTokens,
    keep,
    update({ size, notes, turn }) {
      if (notes === undefined || size.tokens - size.headTokens < firstTokens) return undefined;
      if (notes.uncoveredTokens < growthTokens) return undefined;
      if (notes.toolCallsSince < toolCalls && turn.status === "open") return undefined;
      return { level: "requested", because: `${grouped(notes.uncoveredTokens)} tokens since the last update` };
    },
  };
}

export interface PayingNumbers extends NotesNumbers {
  /** An update can be due when this share of the cache lifetime or less is left. */
  readonly beforeColdShare: number;
  /** An update can be due this many tokens before a compaction, which keeps about as much after the update anyway. */
  readonly nearTokens: number;
}

/** When an update saves more than it costs, so updates are few and large. */
export function notesWhenTheyPay(numbers: PayingNumbers): NotesRule {
  checkAllOptions("notesWhenTheyPay", numbers, { beforeColdShare: A_COUNT, nearTokens: A_COUNT, ...NOTES });
  const { beforeColdShare, nearTokens, sectionTokens = 2_000, totalTokens = 12_000, keep = USUAL_KEEP } = numbers;
  return {
    name: "notes-when-they-pay",
    params: { beforeColdShare, nearTokens, sectionTokens, totalTokens, keep: { ...keep } },
    sectionTokens,
    totalTokens,
    keep,
    update(state) {
      const { notes } = state;
      if (notes === undefined) return undefined;
      const sizes = sizesOf(state, notes, keep.tokens);
      // With a cold cache, a fork would pay for the whole prompt. The next request has to write the cache anyway, and reads are
      // cheap after that.
      if (sizes.cachedTokens === 0) return undefined;
      return payingUpdate(state, sizes, { beforeColdShare, nearTokens });
    },
  };
}

interface UpdateSizes {
  /** The next request, which a fork has to read. */
  readonly sizeTokens: number;
  /** The cached part of the next request. */
  readonly cachedTokens: number;
  /** The messages in the next request. */
  readonly conversationTokens: number;
  /** The messages that the notes do not cover yet. */
  readonly uncoveredTokens: number;
  readonly notesTokens: number;
  /** The newest messages that a compaction with notes keeps, covered or not. */
  readonly keptTokens: number;
}

function sizesOf(state: WindowState, notes: NonNullable<WindowState["notes"]>, keptTokens: number): UpdateSizes {
  const { size, cache } = state;
  const segments = cache.segments.filter(({ name }) => name === "conversation");
  return {
    sizeTokens: size.tokens,
    cachedTokens: cachedUpTo({ cache: { ...cache, segments } }, size.tokens),
    conversationTokens: size.tokens - size.headTokens,
    uncoveredTokens: notes.uncoveredTokens,
    notesTokens: notes.tokens,
    keptTokens,
  };
}

interface Chance {
  readonly label: string;
  readonly saving: number;
}

function payingUpdate(
  state: WindowState,
  sizes: UpdateSizes,
  numbers: Pick<PayingNumbers, "beforeColdShare" | "nearTokens">,
): CompactReason | undefined {
  const rates = ratesAt(state.prices, state.size.tokens);
  const [best] = chances(state, sizes, rates, numbers).toSorted((one, other) => other.saving - one.saving);
  if (best === undefined) return undefined;
  const price = updatePrice(sizes, rates);
  if (best.saving <= price) return undefined;
  const tokens = (units: number): string => grouped(Math.round(units / rates.input));
  const because = `${best.label}: an update costs as much as ${tokens(price)} input tokens, and saves ${tokens(best.saving)}`;
  return { level: "if-it-pays", because };
}

/**
 * The occasions for an update now. The end of a turn alone is not an occasion: most users return before the cache expires, and until
 * then an update costs the same. In replayed sessions, updates at the end of a turn cost more than they saved.
 */
function chances(
  state: WindowState,
  sizes: UpdateSizes,
  rates: TokenPrices,
  { beforeColdShare, nearTokens }: Pick<PayingNumbers, "beforeColdShare" | "nearTokens">,
): readonly Chance[] {
  const { compactsAt, size, turn, window, cache } = state;
  if (compactsAt === undefined) return [];
  const isOpen = turn.status === "open";
  const found: Chance[] = [];
  const isNear =
    compactsAt.inTurnTokens - size.tokens <= nearTokens || (!isOpen && size.tokens >= compactsAt.betweenTurnsTokens);
  if (isNear) found.push({ label: "a compaction is near", saving: compactionSaving(sizes, rates) });
  const { leftMs, lifetimeMs } = lifetimeOf(state);
  // A cold start compacts with the notes only if the policy compacts before the window is full.
  const isCompacted = compactsAt.betweenTurnsTokens < nearlyFullAt(window);
  if (isCompacted && leftMs <= lifetimeMs * beforeColdShare) {
    const saving = coldStartSaving(sizes, rates) * coldChance(cache.idleMs, lifetimeMs, isOpen ? "open" : "closed");
    found.push({ label: "the prompt cache is about to expire", saving });
  }
  return found;
}

function lifetimeOf({ cache, nowMs }: WindowState): { readonly leftMs: number; readonly lifetimeMs: number } {
  const expiresAtMs = cache.segments.findLast(({ name }) => name === "conversation")?.expiresAtMs ?? nowMs;
  const leftMs = Math.max(0, expiresAtMs - nowMs);
  return { leftMs, lifetimeMs: cache.idleMs + leftMs };
}

// ------------------------------------------------------------------------------------------------ prices

/** The update prompt, without the notes in it. */
const PROMPT_TOKENS = 800;
/** The median of 46 recorded summaries. */
const SUMMARY_TOKENS = 4_100;
/** The number of requests that would repeat the messages that old notes do not cover. */
const CARRIED_REQUESTS = 20;

/** The price of an update now. */
export function updatePrice(sizes: UpdateSizes, rates: TokenPrices): number {
  return forkPrice(sizes, sizes.notesTokens, updateTokens(sizes.uncoveredTokens), rates);
}

/**
 * Estimates the output of an update: the sections that always change, and a share of the new content. For a whole conversation of
 * 160,000 tokens this is 4,000; the median of 46 recorded summaries, most of them of that size, is 4,123.
 */
function updateTokens(uncoveredTokens: number): number {
  return 800 + 0.02 * uncoveredTokens;
}

/** The price of a call on a fork. Cached tokens cost the read price; all other input costs the input price. */
function forkPrice(
  { sizeTokens, cachedTokens }: UpdateSizes,
  promptNotesTokens: number,
  outputTokens: number,
  { read, input, output }: TokenPrices,
): number {
  const ownTokens = sizeTokens - cachedTokens + PROMPT_TOKENS + promptNotesTokens;
  return cachedTokens * read + ownTokens * input + outputTokens * output;
}

/** What an update saves on a cold start, which then writes the notes and the newest messages instead of the whole conversation. */
function coldStartSaving(sizes: UpdateSizes, { write }: TokenPrices): number {
  const { conversationTokens, keptTokens, uncoveredTokens, notesTokens } = sizes;
  const compactedTokens = notesTokens + updateTokens(uncoveredTokens) + Math.min(conversationTokens, keptTokens);
  return Math.max(0, coldStartTokens(sizes) - compactedTokens) * write;
}

/** The conversation that a cold start writes without an update: all of it, or less with the old notes. */
function coldStartTokens({ conversationTokens, notesTokens, uncoveredTokens, keptTokens }: UpdateSizes): number {
  if (notesTokens === 0) return conversationTokens;
  return Math.min(conversationTokens, notesTokens + Math.max(uncoveredTokens, keptTokens));
}

/**
 * What an update saves on a compaction. Without the update, the compaction either asks a model for a summary, or uses the old notes
 * and keeps the messages that they do not cover. The saving is the cheaper of the two.
 */
function compactionSaving(sizes: UpdateSizes, rates: TokenPrices): number {
  const { notesTokens, uncoveredTokens, conversationTokens, keptTokens } = sizes;
  if (conversationTokens <= keptTokens) return 0;
  const summary = forkPrice(sizes, 0, SUMMARY_TOKENS, rates);
  if (notesTokens === 0) return summary;
  const carriedTokens = Math.max(0, uncoveredTokens - keptTokens);
  return Math.min(summary, carriedTokens * (rates.write + CARRIED_REQUESTS * rates.read));
}

// ------------------------------------------------------------------------------------------------ pauses

const FIVE_MINUTES_MS = 300_000;

/** The probability that the cache expires before the next request, after an idle time. */
export function coldChance(idleMs: number, lifetimeMs: number, turn: "open" | "closed"): number {
  return Math.min(1, shareLaterThan(lifetimeMs, turn) / shareLaterThan(idleMs, turn));
}

/**
 * The probability that the next request comes later than after this time. Of 1,847 recorded requests with a user message, 26% came
 * after more than 5 minutes and 6% after more than an hour. Of 18,481 with tool results, 1% and 0.09% did. Other times are
 * interpolated and extrapolated from these points.
 */
function shareLaterThan(ms: number, turn: "open" | "closed"): number {
  const [share, exponent] = turn === "closed" ? [0.26, 0.6] : [0.01, 1];
  return ms <= 0 ? 1 : Math.min(1, share * (ms / FIVE_MINUTES_MS) ** -exponent);
}
