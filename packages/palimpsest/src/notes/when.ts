import type { Ledger } from "../cost/ledger.ts";
import { costsOf, type TokenCosts } from "../cost/prices.ts";
import type { ModelPrices } from "../log/cause.ts";
import type { Settings } from "../settings/settings.ts";
import type { CompactionPoint } from "../state/ports.ts";
import type { Snapshot } from "../state/state.ts";
import { wholeFrom } from "../view/kept-together.ts";
import type { Item, MessageItem } from "../view/view.ts";
import { type CountTokens, isBare, NOTES_LIMITS, type Notes, notesSummary } from "./notes.ts";

interface UpdateSizes {
  /** Of the next request: what a fork has to read. */
  readonly sizeTokens: number;
  /** The part of it that the provider holds. */
  readonly cachedTokens: number;
  /** The messages in it. */
  readonly conversationTokens: number;
  /** The part of these that the notes do not cover yet. */
  readonly uncoveredTokens: number;
  /** Of the notes; 0 if they are bare. */
  readonly notesTokens: number;
  /** What a compaction by notes keeps of the newest messages, covered or not. */
  readonly keptTokens: number;
}

/** The directive, without the notes that stand in it. */
const DIRECTIVE_TOKENS = 800;

/**
 * What an update writes: at least the sections that always change, and a share of what is new. A whole conversation of
 * 160,000 tokens then takes 4,000; the median of 46 recorded summaries, most of them of that size, is 4,123.
 */
const updateTokens = (uncoveredTokens: number): number => 800 + 0.02 * uncoveredTokens;

/** What an update costs now. */
export function updatePrice(sizes: UpdateSizes, costs: TokenCosts): number {
  const { notesTokens, uncoveredTokens } = sizes;
  return forkPrice(sizes, notesTokens, updateTokens(uncoveredTokens), costs);
}

/** A fork reads what the provider holds; the rest, and what it is told, is input like any other. */
function forkPrice(
  { sizeTokens, cachedTokens }: UpdateSizes,
  toldTokens: number,
  outputTokens: number,
  { read, input, output }: TokenCosts,
): number {
  const heldTokens = Math.min(cachedTokens, sizeTokens);
  const ownTokens = sizeTokens - heldTokens + DIRECTIVE_TOKENS + toldTokens;
  return heldTokens * read + ownTokens * input + outputTokens * output;
}

/** What a cold start costs less after an update: instead of the conversation, the notes and the newest of it are written. */
function coldStartSaving(sizes: UpdateSizes, { write }: TokenCosts): number {
  const { conversationTokens, keptTokens, uncoveredTokens, notesTokens } = sizes;
  const foldedTokens = notesTokens + updateTokens(uncoveredTokens) + Math.min(conversationTokens, keptTokens);
  return Math.max(0, minimumTokens(sizes) - foldedTokens) * write;
}

/** What a cold start writes of the conversation as things stand: all of it, or what the old notes leave if that is less. */
function minimumTokens({ conversationTokens, notesTokens, uncoveredTokens, keptTokens }: UpdateSizes): number {
  if (notesTokens === 0) return conversationTokens;
  return Math.min(conversationTokens, notesTokens + Math.max(uncoveredTokens, keptTokens));
}

/** The median of 46 recorded summaries. */
const SUMMARY_TOKENS = 4_100;
/** For so many requests, what an old version of the notes leaves uncovered would be carried along. */
const CARRIED_REQUESTS = 20;

/**
 * What a compaction costs less after an update. Without one, it either asks a model for a summary, or goes by the notes as
 * they are and carries along what they do not cover: the cheaper of the two is what is saved.
 */
function compactionSaving(sizes: UpdateSizes, costs: TokenCosts): number {
  const { notesTokens, uncoveredTokens, conversationTokens, keptTokens } = sizes;
  if (conversationTokens <= keptTokens) return 0;
  const summary = forkPrice(sizes, 0, SUMMARY_TOKENS, costs);
  if (notesTokens === 0) return summary;
  const carriedTokens = Math.max(0, uncoveredTokens - keptTokens);
  return Math.min(summary, carriedTokens * (costs.write + CARRIED_REQUESTS * costs.read));
}

const FIVE_MINUTES_MS = 300_000;

/**
 * How often the next request comes later than so. Of 1,847 recorded requests that brought words of the user 26% came
 * after more than 5 minutes and 6% after more than an hour; of 18,481 that brought results, 1% and 0.09%. Between
 * and beyond, as those two points run.
 */
function shareLaterThan(ms: number, turn: "open" | "closed"): number {
  const [share, exponent] = turn === "closed" ? [0.26, 0.6] : [0.01, 1];
  return ms <= 0 ? 1 : Math.min(1, share * (ms / FIVE_MINUTES_MS) ** -exponent);
}

/** How likely the prompt goes cold before the next request, when it has been waited for so long already. */
export function coldChance(idleMs: number, lifetimeMs: number, turn: "open" | "closed"): number {
  return Math.min(1, shareLaterThan(lifetimeMs, turn) / shareLaterThan(idleMs, turn));
}

export type UpdatePolicy = FixedUpdates | PayingUpdates;

/** The triggers that such systems are known to use: by growth and tool calls alone. */
interface FixedUpdates {
  readonly policy: "fixed";
  /** None before the conversation has so many tokens. @default 10_000 */
  readonly firstTokens: number;
  /** Then each time that so many have come. @default 5_000 */
  readonly growthTokens: number;
  /** And so many calls of tools were made since, or the model has just made none. @default 3 */
  readonly toolCalls: number;
}

/** Ours: an update has to save more than it costs, and so there are few, and large ones. */
interface PayingUpdates {
  readonly policy: "paying";
  /** "Shortly before" the prompt goes cold: when so much of its time to live is left. @default 20 */
  readonly beforeColdPercent: number;
  /** "Near" a compaction: so many tokens before it. What comes after the update is kept anyway if it is no more. @default 10_000 */
  readonly nearTokens: number;
}

export const FIXED_UPDATES: FixedUpdates = { policy: "fixed", firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 };
export const PAYING_UPDATES: PayingUpdates = { policy: "paying", beforeColdPercent: 20, nearTokens: 10_000 };

export interface UpdateSituation extends UpdateSizes {
  readonly toolCallsSinceUpdate: number;
  /** `open`: the newest response called tools. `closed`: it did not, and the turn is over. */
  readonly turn: "open" | "closed";
  /** At this size compaction comes while the model is at work; absent if it is switched off. */
  readonly thresholdTokens?: number | undefined;
  /** At this size it comes with the user's next message. @default thresholdTokens */
  readonly betweenTurnsTokens?: number | undefined;
  /** What is done when the prompt is cold: compacted by the notes, or sent as it is. */
  readonly coldStart: "folded" | "whole";
  /** Since the newest request. */
  readonly idleMs: number;
  readonly lifetimeMs: number;
  readonly costs: TokenCosts;
}

type UpdateOccasion = "growth" | "cache-ends" | "compaction-near";

type UpdateDecision =
  | { readonly kind: "due"; readonly occasion: UpdateOccasion; readonly reason: string }
  | { readonly kind: "not-due"; readonly reason: string };

/** Whether the notes are to be brought up to date now: asked after a response, and again before the cache ends. */
export function isUpdateDue(situation: UpdateSituation, policy: UpdatePolicy): UpdateDecision {
  return policy.policy === "fixed" ? fixedUpdate(situation, policy) : payingUpdate(situation, policy);
}

function fixedUpdate(situation: UpdateSituation, policy: FixedUpdates): UpdateDecision {
  const { conversationTokens, uncoveredTokens, toolCallsSinceUpdate, turn } = situation;
  if (conversationTokens < policy.firstTokens)
    return notDue(`the conversation has ${conversationTokens} tokens, and notes begin at ${policy.firstTokens}`);
  if (uncoveredTokens < policy.growthTokens)
    return notDue(`${uncoveredTokens} tokens since the last update, of ${policy.growthTokens}`);
  if (toolCallsSinceUpdate < policy.toolCalls && turn === "open")
    return notDue(`${toolCallsSinceUpdate} tool calls since the last update, of ${policy.toolCalls}, and no pause`);
  return { kind: "due", occasion: "growth", reason: `${uncoveredTokens} tokens since the last update` };
}

interface Chance {
  readonly occasion: UpdateOccasion;
  readonly words: string;
  readonly saving: number;
}

function payingUpdate(situation: UpdateSituation, policy: PayingUpdates): UpdateDecision {
  const { idleMs, lifetimeMs, cachedTokens, costs } = situation;
  // A fork would pay for the whole prompt. The next request has to write it anyway, and after that it is read cheaply.
  if (cachedTokens === 0 || idleMs >= lifetimeMs) return notDue("the prompt is cold");
  const [best] = chances(situation, policy).toSorted((one, other) => other.saving - one.saving);
  if (best === undefined) return notDue("the cache lives on and compaction is far");
  const price = updatePrice(situation, costs);
  const figures = `${best.words}: an update costs what ${units(price, costs)} tokens of input cost, and saves ${units(best.saving, costs)}`;
  return best.saving > price ? { kind: "due", occasion: best.occasion, reason: figures } : notDue(figures);
}

/**
 * What speaks for an update now. The end of a turn is no reason by itself: most users return before the cache ends, and until
 * then an update costs the same. Replayed, updates at the end of a turn cost more than they saved.
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
            words: "compaction is near",
            saving: compactionSaving(situation, costs),
          },
        ]
      : []),
    ...(isEnding ? [{ occasion: "cache-ends" as const, words: "the cache is about to end", saving: cold }] : []),
  ];
}

function units(price: number, { input }: TokenCosts): number {
  return Math.round(price / input);
}

function notDue(reason: string): UpdateDecision {
  return { kind: "not-due", reason };
}

export interface NotesCompactionQuestion {
  readonly items: readonly Item[];
  readonly notes: Notes;
  /** The entry that holds the notes in full. */
  readonly notesEntry: number;
  /** Whether the model can read that entry. */
  readonly recall: "offered" | "missing";
  /** The last entry that the notes cover. */
  readonly coveredTo: number;
  /** The newest boundary in effect: what it has folded stays folded. */
  readonly newestBoundary?: number | undefined;
  /** Kept beyond what must be: so many tokens at least. @default 10_000 */
  readonly minimumTokens?: number;
  /** And so many messages with text at least. @default 5 */
  readonly minimumTextMessages?: number;
  /** But nothing is added to what must be kept that would make it more than this. @default 40_000 */
  readonly maximumTokens?: number;
  /** At this size compaction is due: a result that is not below it would be compacted again at once. */
  readonly thresholdTokens: number;
  /** What stands around summary and kept items: system prompt, tools, what is put back. @default 0 */
  readonly aroundTokens?: number;
  /** Of a section in the summary. @default 2_000 */
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
       * The entry of the last message that the summary replaces. A range that ends there, and not behind a seal that
       * follows it, still ends with what the notes cover: so the next compaction finds it in the view.
       */
      readonly foldedTo: number;
      readonly summary: string;
      readonly keptTokens: number;
      /** Of the view as it will be. */
      readonly resultTokens: number;
    }
  | { readonly kind: "declined"; readonly cause: DeclinedCause; readonly reason: string };

/** Why notes cannot stand for a conversation, in a word. */
export type DeclinedCause = "no-notes" | "not-in-view" | "overtaken" | "nothing-to-compact" | "too-large";

/** Compaction without a model: the notes are the summary, and what they do not cover is kept. */
export function planNotesCompaction(question: NotesCompactionQuestion): NotesCompaction {
  const { items, notes, notesEntry, recall, coveredTo, thresholdTokens, tokensOf, countTokens } = question;
  const { aroundTokens = 0, sectionTokens = NOTES_LIMITS.sectionTokens } = question;
  const declined = (cause: DeclinedCause, reason: string): NotesCompaction => ({ kind: "declined", cause, reason });
  if (isBare(notes)) return declined("no-notes", "there is nothing in the notes yet");
  const covered = items.findLastIndex(({ to }) => to === coveredTo);
  if (covered < 0)
    return declined("not-in-view", `entry ${coveredTo}, the last one that the notes cover, is not in the view`);

  const floor = firstBehindBoundary(question);
  if (covered + 1 < floor)
    return declined("overtaken", `the newest boundary has folded more than the notes cover (entry ${coveredTo})`);

  const cut = findCut(question, covered + 1, floor);
  const kept = items.slice(cut);
  const first = kept.find(({ kind }) => kind === "message");
  if (first === undefined) return declined("nothing-to-compact", "there would be nothing to keep");
  const last = items.slice(0, cut).findLast(({ kind }) => kind === "message");
  if (last === undefined) return declined("nothing-to-compact", "there is nothing to fold");

  const summary = notesSummary(notes, { notesEntry, recall, countTokens, sectionTokens });
  const keptTokens = sum(kept, tokensOf);
  const resultTokens = aroundTokens + countTokens(summary) + keptTokens;
  if (resultTokens >= thresholdTokens)
    return declined(
      "too-large",
      `${resultTokens} tokens would be left (${keptTokens} of them kept), and compaction is due at ${thresholdTokens}`,
    );
  return { kind: "keep", from: first.from, foldedTo: last.to, summary, keptTokens, resultTokens };
}

/** What the newest boundary has put in place of others is not kept: the notes take its place. */
function firstBehindBoundary({ items, newestBoundary }: NotesCompactionQuestion): number {
  if (newestBoundary === undefined) return 0;
  return items.findLastIndex((item) => item.kind === "message" && item.by === newestBoundary) + 1;
}

/** The index of the first item that is kept. Everything from `mustKeep` on is; more of what is covered, up to the minima. */
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

/** Words of the user or of the model; not results, and not what the host has put in. */
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
  /** Where the conversation will be compacted next. */
  readonly compaction: CompactionPoint;
  readonly settings: Settings;
  /** Of the notes as they are; 0 if there are none. */
  readonly notesTokens: number;
  readonly nowMs: number;
}

/** What the timing of an update goes by; undefined as long as no request was answered. */
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
    // A cold start folds by the notes only where compaction may come before the window is full.
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
