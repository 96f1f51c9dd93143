import type { TokenCosts } from "../cache/token-costs.ts";
import { coldChance, coldStartSaving, compactionSaving, type UpdateSizes, updatePrice } from "./update-value.ts";

export type UpdatePolicy = FixedUpdates | PayingUpdates;

/** The triggers that such systems are known to use: by growth and tool calls alone. */
export interface FixedUpdates {
  readonly policy: "fixed";
  /** None before the conversation has so many tokens. @default 10_000 */
  readonly firstTokens: number;
  /** Then each time that so many have come. @default 5_000 */
  readonly growthTokens: number;
  /** And so many calls of tools were made since, or the model has just made none. @default 3 */
  readonly toolCalls: number;
}

/** Ours: an update has to save more than it costs, and so there are few, and large ones. */
export interface PayingUpdates {
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

export type UpdateOccasion = "growth" | "cache-ends" | "compaction-near";

export type UpdateDecision =
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
