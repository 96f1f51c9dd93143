// Decides when to update the notes, and plans compactions that use them.

import type { Ledger } from "../cost/ledger.ts";
import { costsOf, type TokenCosts } from "../cost/prices.ts";
import type { ModelPrices } from "../log/cause.ts";
import type { Settings } from "../settings/settings.ts";
import type { CompactionPoint } from "../state/ports.ts";
import type { Snapshot } from "../state/state.ts";
import { wholeFrom } from "../view/kept-together.ts";
import type { Item, MessageItem } from "../view/view.ts";
import { type CountTokens, isBare, NOTES_LIMITS, type Notes, notesSummary } from "./notes.ts";

export const FIXED_UPDATES: FixedUpdates = { policy: "fixed", firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 };
export const PAYING_UPDATES: PayingUpdates = { policy: "paying", beforeColdPercent: 20, nearTokens: 10_000 };
/** The tokens of the update prompt, without the notes in it. */
const PROMPT_TOKENS = 800;
/** The tokens of a summary: the median of 46 recorded summaries. */
const SUMMARY_TOKENS = 4_100;
/** The number of requests that would repeat the messages that old notes do not cover. */
const CARRIED_REQUESTS = 20;
const FIVE_MINUTES_MS = 300_000;

interface UpdateSizes {
  /** The tokens of the next request, which a fork has to read. */
  readonly sizeTokens: number;
  /** The cached part of the next request. */
  readonly cachedTokens: number;
  /** The messages in the next request. */
  readonly conversationTokens: number;
  /** The part of the messages that the notes do not cover yet. */
  readonly uncoveredTokens: number;
  /** The tokens of the notes; 0 if all sections are empty. */
  readonly notesTokens: number;
  /** The tokens of the newest messages that a compaction with notes keeps, covered or not. */
  readonly keptTokens: number;
}

export interface UpdateSituation extends UpdateSizes {
  readonly toolCallsSinceUpdate: number;
  /** `open`: the newest response called tools. `closed`: it did not, and the turn has ended. */
  readonly turn: "open" | "closed";
  /** The size at which the conversation is compacted while the model works. Absent if automatic compaction is off. */
  readonly thresholdTokens?: number | undefined;
  /** The size at which the conversation is compacted at the user's next message. @default thresholdTokens */
  readonly betweenTurnsTokens?: number | undefined;
  /** The action when the cache has expired: compact with the notes, or send the whole conversation. */
  readonly coldStart: "folded" | "whole";
  /** The time since the newest request. */
  readonly idleMs: number;
  readonly lifetimeMs: number;
  readonly costs: TokenCosts;
}

export type UpdatePolicy = FixedUpdates | PayingUpdates;

/** Updates after a fixed amount of growth and a fixed number of tool calls, as in comparable systems. Costs play no part. */
interface FixedUpdates {
  readonly policy: "fixed";
  /** The size of the conversation before the first update. @default 10_000 */
  readonly firstTokens: number;
  /** The number of new tokens before each further update. @default 5_000 */
  readonly growthTokens: number;
  /** The number of tool calls since the last update. Fewer are enough if the newest response has none. @default 3 */
  readonly toolCalls: number;
}

/** An update must save more than it costs, so updates are few and large. */
interface PayingUpdates {
  readonly policy: "paying";
  /** An update can be due when this percentage of the cache lifetime or less is left. @default 20 */
  readonly beforeColdPercent: number;
  /**
   * An update can be due this many tokens before a compaction. A compaction keeps up to this many tokens after the
   * update anyway. @default 10_000
   */
  readonly nearTokens: number;
}

type UpdateOccasion = "growth" | "cache-ends" | "compaction-near";

type UpdateDecision =
  | { readonly kind: "due"; readonly occasion: UpdateOccasion; readonly reason: string }
  | { readonly kind: "not-due"; readonly reason: string };

/** Decides whether to update the notes now. Called after a response, and again before the cache expires. */
export function isUpdateDue(situation: UpdateSituation, policy: UpdatePolicy): UpdateDecision {
  return policy.policy === "fixed" ? fixedUpdate(situation, policy) : payingUpdate(situation, policy);
}

function fixedUpdate(situation: UpdateSituation, policy: FixedUpdates): UpdateDecision {
  const { conversationTokens, uncoveredTokens, toolCallsSinceUpdate, turn } = situation;
  if (conversationTokens < policy.firstTokens)
    return notDue(
      `the conversation has ${conversationTokens} tokens, and the first update needs ${policy.firstTokens}`,
    );
  if (uncoveredTokens < policy.growthTokens)
    return notDue(`${uncoveredTokens} of ${policy.growthTokens} tokens since the last update`);
  if (toolCallsSinceUpdate < policy.toolCalls && turn === "open")
    return notDue(
      `${toolCallsSinceUpdate} of ${policy.toolCalls} tool calls since the last update, and the turn has not ended`,
    );
  return { kind: "due", occasion: "growth", reason: `${uncoveredTokens} tokens since the last update` };
}

function payingUpdate(situation: UpdateSituation, policy: PayingUpdates): UpdateDecision {
  const { idleMs, lifetimeMs, cachedTokens, costs } = situation;
  // Do not update with a cold cache: a fork would pay for the whole prompt. The next request has to write the cache
  // anyway, and reads are cheap after that.
  if (cachedTokens === 0 || idleMs >= lifetimeMs) return notDue("the prompt is cold");
  const [best] = chances(situation, policy).toSorted((one, other) => other.saving - one.saving);
  if (best === undefined) return notDue("the cache does not expire soon and compaction is far");
  const price = updatePrice(situation, costs);
  const figures = `${best.label}: an update costs as much as ${units(price, costs)} input tokens, and saves ${units(best.saving, costs)}`;
  return best.saving > price ? { kind: "due", occasion: best.occasion, reason: figures } : notDue(figures);
}

interface Chance {
  readonly occasion: UpdateOccasion;
  readonly label: string;
  readonly saving: number;
}

/**
 * Lists the reasons for an update now. The end of a turn alone is not a reason: most users return before the cache
 * expires, and until then an update costs the same. In replayed sessions, updates at the end of a turn cost more than
 * they saved.
 */
function chances(situation: UpdateSituation, policy: PayingUpdates): readonly Chance[] {
  const { sizeTokens, thresholdTokens, turn, idleMs, lifetimeMs, coldStart, costs } = situation;
  const { betweenTurnsTokens = thresholdTokens } = situation;
  const isNear =
    (thresholdTokens !== undefined && thresholdTokens - sizeTokens <= policy.nearTokens) ||
    (turn === "closed" && betweenTurnsTokens !== undefined && sizeTokens >= betweenTurnsTokens);
  const isEnding = lifetimeMs - idleMs <= lifetimeMs * (policy.beforeColdPercent / 100);
  const cold = coldStart === "whole" ? 0 : coldStartSaving(situation, costs) * coldChance(idleMs, lifetimeMs, turn);
  return [
    ...(isNear
      ? [
          {
            occasion: "compaction-near" as const,
            label: "compaction is near",
            saving: compactionSaving(situation, costs),
          },
        ]
      : []),
    ...(isEnding ? [{ occasion: "cache-ends" as const, label: "the cache is about to expire", saving: cold }] : []),
  ];
}

function units(price: number, { input }: TokenCosts): number {
  return Math.round(price / input);
}

function notDue(reason: string): UpdateDecision {
  return { kind: "not-due", reason };
}

/** Returns the price of an update now. */
export function updatePrice(sizes: UpdateSizes, costs: TokenCosts): number {
  const { notesTokens, uncoveredTokens } = sizes;
  return forkPrice(sizes, notesTokens, updateTokens(uncoveredTokens), costs);
}

/**
 * Estimates the output of an update: the sections that always change, and a share of the new content. For a whole
 * conversation of 160,000 tokens this is 4,000; the median of 46 recorded summaries, most of them of that size, is
 * 4,123.
 */
const updateTokens = (uncoveredTokens: number): number => 800 + 0.02 * uncoveredTokens;

/** Returns the price of a call on a fork. Cached tokens cost the read price; all other input costs the input price. */
function forkPrice(
  { sizeTokens, cachedTokens }: UpdateSizes,
  promptNotesTokens: number,
  outputTokens: number,
  { read, input, output }: TokenCosts,
): number {
  const cachedPartTokens = Math.min(cachedTokens, sizeTokens);
  const ownTokens = sizeTokens - cachedPartTokens + PROMPT_TOKENS + promptNotesTokens;
  return cachedPartTokens * read + ownTokens * input + outputTokens * output;
}

/**
 * Returns how much an update saves on a cold start, which then writes the notes and the newest messages instead of the
 * whole conversation.
 */
function coldStartSaving(sizes: UpdateSizes, { write }: TokenCosts): number {
  const { conversationTokens, keptTokens, uncoveredTokens, notesTokens } = sizes;
  const compactedTokens = notesTokens + updateTokens(uncoveredTokens) + Math.min(conversationTokens, keptTokens);
  return Math.max(0, minimumTokens(sizes) - compactedTokens) * write;
}

/**
 * Returns the tokens of the conversation that a cold start writes without an update: all of it, or less with the old
 * notes.
 */
function minimumTokens({ conversationTokens, notesTokens, uncoveredTokens, keptTokens }: UpdateSizes): number {
  if (notesTokens === 0) return conversationTokens;
  return Math.min(conversationTokens, notesTokens + Math.max(uncoveredTokens, keptTokens));
}

/**
 * Returns how much an update saves on a compaction. Without the update, the compaction either asks a model for a
 * summary, or uses the old notes and keeps the messages that they do not cover. The saving is the cheaper of the two.
 */
function compactionSaving(sizes: UpdateSizes, costs: TokenCosts): number {
  const { notesTokens, uncoveredTokens, conversationTokens, keptTokens } = sizes;
  if (conversationTokens <= keptTokens) return 0;
  const summary = forkPrice(sizes, 0, SUMMARY_TOKENS, costs);
  if (notesTokens === 0) return summary;
  const carriedTokens = Math.max(0, uncoveredTokens - keptTokens);
  return Math.min(summary, carriedTokens * (costs.write + CARRIED_REQUESTS * costs.read));
}

/** Returns the probability that the cache expires before the next request, after an idle time. */
export function coldChance(idleMs: number, lifetimeMs: number, turn: "open" | "closed"): number {
  return Math.min(1, shareLaterThan(lifetimeMs, turn) / shareLaterThan(idleMs, turn));
}

/**
 * Returns the probability that the next request comes later than after this time. Of 1,847 recorded requests with a
 * user message, 26% came after more than 5 minutes and 6% after more than an hour. Of 18,481 with tool results, 1% and
 * 0.09% did. Other times are interpolated and extrapolated from these points.
 */
function shareLaterThan(ms: number, turn: "open" | "closed"): number {
  const [share, exponent] = turn === "closed" ? [0.26, 0.6] : [0.01, 1];
  return ms <= 0 ? 1 : Math.min(1, share * (ms / FIVE_MINUTES_MS) ** -exponent);
}

export interface NotesCompactionQuestion {
  readonly items: readonly Item[];
  readonly notes: Notes;
  /** The entry with the full notes. */
  readonly notesEntry: number;
  /** Whether the model can read that entry. */
  readonly recall: "offered" | "missing";
  /** The last entry that the notes cover. */
  readonly coveredTo: number;
  /** The newest boundary in effect. Its compacted content stays compacted. */
  readonly newestBoundary?: number | undefined;
  /** The minimum number of tokens to keep. @default 10_000 */
  readonly minimumTokens?: number;
  /** The minimum number of messages with text to keep. @default 5 */
  readonly minimumTextMessages?: number;
  /** Covered messages are not kept if the kept messages would exceed this size. @default 40_000 */
  readonly maximumTokens?: number;
  /** The size at which a compaction is due. The result must be smaller, or it would be compacted again at once. */
  readonly thresholdTokens: number;
  /**
   * The tokens of everything except the summary and the kept items: system prompt, tools, rehydrated content. @default
   * 0
   */
  readonly aroundTokens?: number;
  /** The limit for a section in the summary. @default 2_000 */
  readonly sectionTokens?: number;
  readonly tokensOf: (item: Item) => number;
  readonly countTokens: CountTokens;
}

export type NotesCompaction =
  | {
      readonly kind: "keep";
      /** The entry of the first message that is kept. */
      readonly from: number;
      /**
       * The entry of the last message that the summary replaces. The range ends here and not after the following seal,
       * so that it still ends with the covered entry and the next compaction finds that entry in the view.
       */
      readonly foldedTo: number;
      readonly summary: string;
      readonly keptTokens: number;
      /** The tokens of the view after the compaction. */
      readonly resultTokens: number;
    }
  | { readonly kind: "declined"; readonly cause: DeclinedCause; readonly reason: string };

/** The reason that the notes cannot replace the conversation. */
export type DeclinedCause = "no-notes" | "not-in-view" | "overtaken" | "nothing-to-compact" | "too-large";

/** Plans a compaction without a model: the notes are the summary, and messages that they do not cover are kept. */
export function planNotesCompaction(question: NotesCompactionQuestion): NotesCompaction {
  const { items, notes, notesEntry, recall, coveredTo, thresholdTokens, tokensOf, countTokens } = question;
  const { aroundTokens = 0, sectionTokens = NOTES_LIMITS.sectionTokens } = question;
  const declined = (cause: DeclinedCause, reason: string): NotesCompaction => ({ kind: "declined", cause, reason });
  if (isBare(notes)) return declined("no-notes", "the notes are empty");
  const covered = items.findLastIndex(({ to }) => to === coveredTo);
  if (covered < 0)
    return declined("not-in-view", `entry ${coveredTo}, the last one that the notes cover, is not in the view`);

  const floor = firstAfterBoundary(question);
  if (covered + 1 < floor)
    return declined(
      "overtaken",
      `the newest boundary covers more than the notes, which cover entries up to ${coveredTo}`,
    );

  const cut = findCut(question, covered + 1, floor);
  const kept = items.slice(cut);
  const first = kept.find(({ kind }) => kind === "message");
  if (first === undefined) return declined("nothing-to-compact", "no message would be kept");
  const last = items.slice(0, cut).findLast(({ kind }) => kind === "message");
  if (last === undefined) return declined("nothing-to-compact", "there are no messages to compact");

  const summary = notesSummary(notes, { notesEntry, recall, countTokens, sectionTokens });
  const keptTokens = sum(kept, tokensOf);
  const resultTokens = aroundTokens + countTokens(summary) + keptTokens;
  if (resultTokens >= thresholdTokens)
    return declined(
      "too-large",
      `${resultTokens} tokens would remain, ${keptTokens} of them in kept messages, and compaction is due at ${thresholdTokens}`,
    );
  return { kind: "keep", from: first.from, foldedTo: last.to, summary, keptTokens, resultTokens };
}

/**
 * Returns the index of the first item after the newest boundary's replacement. The replacement itself is not kept,
 * because the notes take its place.
 */
function firstAfterBoundary({ items, newestBoundary }: NotesCompactionQuestion): number {
  if (newestBoundary === undefined) return 0;
  return items.findLastIndex((item) => item.kind === "message" && item.by === newestBoundary) + 1;
}

/**
 * Returns the index of the first kept item. All items from `mustKeep` on are kept, and more covered items up to the
 * minimums.
 */
function findCut(question: NotesCompactionQuestion, mustKeep: number, floor: number): number {
  const { items, tokensOf } = question;
  const { minimumTokens = 10_000, minimumTextMessages = 5, maximumTokens = 40_000 } = question;
  let cut = mustKeep;
  let tokens = sum(items.slice(cut), tokensOf);
  let textMessages = items.slice(cut).filter(hasText).length;
  while (cut > floor && (tokens < minimumTokens || textMessages < minimumTextMessages)) {
    const next = items[cut - 1]!;
    if (tokens + tokensOf(next) > maximumTokens) break;
    cut--;
    tokens += tokensOf(next);
    if (hasText(next)) textMessages++;
  }
  return wholeFrom(items, cut, floor);
}

/** Tells whether an item has text from the user or the model, not only results or host content. */
function hasText(item: Item): boolean {
  if (item.kind === "seal" || item.attachment !== undefined) return false;
  return item.blocks.some((block) => block.kind === "text" && block.text.trim() !== "");
}

function sum(items: readonly Item[], tokensOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0);
}

export interface SituationSources {
  readonly snapshot: Snapshot;
  readonly ledger: Ledger;
  readonly prices: ModelPrices | undefined;
  /** The point of the next compaction. */
  readonly compaction: CompactionPoint;
  readonly settings: Settings;
  /** The tokens of the current notes; 0 if there are none. */
  readonly notesTokens: number;
  readonly nowMs: number;
}

/** Collects the input for `isUpdateDue`. Undefined until a request has been answered. */
export function notesSituation(sources: SituationSources): UpdateSituation | undefined {
  const { snapshot, ledger, prices, compaction, settings, notesTokens, nowMs } = sources;
  const previous = ledger.sources["main"]?.previous;
  if (previous === undefined) return undefined;
  const { carriedState, tokensOf, sizeTokens } = snapshot;
  const messages = snapshot.items.filter((item): item is MessageItem => item.kind === "message");
  const { coveredTo } = carriedState.notes ?? { coveredTo: 0 };
  const uncovered = messages.filter(({ to }) => to > coveredTo);
  const sum = (items: readonly MessageItem[]): number => items.reduce((total, item) => total + tokensOf(item), 0);
  return {
    sizeTokens,
    notesTokens,
    cachedTokens: previous.cacheReadTokens + previous.cacheWriteTokens,
    conversationTokens: sum(messages),
    uncoveredTokens: sum(uncovered),
    keptTokens: settings["notes.keepTokens"],
    toolCallsSinceUpdate: uncovered.reduce((calls, { blocks }) => calls + blocks.filter(isCall).length, 0),
    turn: messages.at(-1)?.blocks.some(isCall) === true ? "open" : "closed",
    ...(compaction.policy === "off"
      ? {}
      : {
          thresholdTokens: compaction.withinTurnAtTokens ?? compaction.atTokens,
          betweenTurnsTokens: compaction.atTokens,
        }),
    // A cold start compacts with the notes only if a compaction can come before the window is full.
    coldStart: compaction.policy === "economic" ? "folded" : "whole",
    idleMs: nowMs - previous.atMs,
    lifetimeMs: previous.lifetimeMs,
    costs: costsOf(prices, { lifetimeMs: previous.lifetimeMs, inputTokens: sizeTokens }),
  };
}

export function notesPolicy(settings: Settings): UpdatePolicy {
  return settings["notes.policy"] === "fixed"
    ? {
        policy: "fixed",
        firstTokens: settings["notes.fixedFirstTokens"],
        growthTokens: settings["notes.fixedGrowthTokens"],
        toolCalls: settings["notes.fixedToolCalls"],
      }
    : {
        policy: "paying",
        beforeColdPercent: settings["notes.beforeColdPercent"],
        nearTokens: settings["notes.nearTokens"],
      };
}

function isCall({ kind }: { readonly kind: string }): boolean {
  return kind === "tool_call";
}
