import { compareConfigurations } from "../cache/compare-configurations.ts";
import { compareCauses } from "../cache/find-break.ts";
import type { CacheEffects, CacheFacts, PromptChange } from "../log/cause.ts";
import type { ModelPrices } from "../log/prices.ts";
import type { ProviderEdits, RequestedEdits } from "../log/provider-edits.ts";
import { estimateTokens } from "../size/calibration.ts";
import { addFeatures } from "../tokens/features.ts";
import type { MessageItem } from "../view/item.ts";
import type { Configuration, View } from "../view/view.ts";
import type { Ledger, PreviousRequest } from "./ledger.ts";

/** The defaults: every setting may matter, images do not. */
const UNKNOWN_EFFECTS: CacheEffects = { parameters: {}, images: "nothing" };

export interface NextRequest {
  readonly view: View;
  readonly ledger: Ledger;
  readonly configuration: Configuration;
  /** The configuration of the newest answered request; undefined if there is none, or it cannot be read any more. */
  readonly before: Configuration | undefined;
  readonly lifetimeMs: number;
  /** That of the system prompt and the tools. @default the same */
  readonly headLifetimeMs?: number | undefined;
  /** @default every setting may matter, images do not */
  readonly effects?: CacheEffects | undefined;
  /** Whether replayed thinking must follow the exact conversation that produced it. */
  readonly thinking: "bound" | "free";
  /** @default "kept" */
  readonly earlierThinking?: "kept" | "stripped" | undefined;
  readonly prices?: ModelPrices | undefined;
  /** Edits that the provider is asked to make beside the answer. @default none */
  readonly asked?: RequestedEdits;
}

/** Returns the record of the next request that later explains what its cache did and why. */
export function describeRequest(next: NextRequest): CacheFacts {
  const { view, ledger, configuration, lifetimeMs, headLifetimeMs, prices, asked = {} } = next;
  const previous = ledger.sources["main"]?.previous;
  const images = newestImage(view, ledger);
  const changes = previous === undefined ? [] : findChanges(next, previous, images);
  const keptTokens = keptTokensOf(view, configuration, changes);
  return {
    configuration: configuration.entry,
    images: images === undefined ? "none" : "some",
    lifetimeMs,
    ...(headLifetimeMs === undefined ? {} : { headLifetimeMs }),
    ...asked,
    ...(previous === undefined ? {} : { comparedWith: previous.at }),
    ...(changes.length === 0 ? {} : { changes }),
    ...(keptTokens === undefined ? {} : { keptTokens }),
    ...(prices === undefined ? {} : { prices }),
  };
}

function findChanges(next: NextRequest, previous: PreviousRequest, image: number | undefined): PromptChange[] {
  const { view, ledger, configuration, before, lifetimeMs } = next;
  const { effects = UNKNOWN_EFFECTS, earlierThinking = "kept" } = next;
  // Items that were never sent change nothing.
  const decided = ledger.pending.filter(({ from = 0 }) => from <= previous.request);
  const imagesChanged = effects.images === "messages" && (previous.images === "some") !== (image !== undefined);
  const forgotten = earlierThinking === "stripped" ? forgottenThinking(view, previous) : undefined;
  const configured = before === undefined ? [] : compareConfigurations(before, configuration, effects);
  const changes: PromptChange[] = [
    ...configured,
    ...(before === undefined || configured.length > 0 ? [] : thinkingLostOnTheWay(next, before, previous)),
    ...(imagesChanged ? [{ cause: "images", at: image ?? decided.at(-1)?.at ?? 0 } as const] : []),
    ...decided,
    ...(forgotten === undefined ? [] : [forgotten]),
    ...(sameEdits(previous.edits, next.asked?.edits)
      ? []
      : [{ cause: "provider-edits", at: 0, what: ["asked for"] } as const]),
    // That of the head changes when the head is written anyway.
    ...(previous.lifetimeMs === lifetimeMs ? [] : [{ cause: "cache-ttl", at: 0 } as const]),
  ];
  return changes.sort(compareCauses);
}

/** The number of turns grows by itself, while the kept thinking begins at the same place. */
function sameEdits(before: ProviderEdits | undefined, now: ProviderEdits | undefined): boolean {
  const keyOf = (edits: ProviderEdits | undefined): string =>
    JSON.stringify([edits?.results, edits?.thinking === "all" ? "all" : edits?.thinking.from]);
  return keyOf(before) === keyOf(now);
}

/**
 * Returns the newest entry shown with an image; 0 if it was in the newest request, undefined if there is none. Looks only at
 * entries after that request, unless something before it has changed since.
 */
function newestImage(view: View, { sources, pending }: Ledger): number | undefined {
  const { previous, open = [] } = sources["main"] ?? {};
  const last = open.at(-1) ?? previous;
  const known = last === undefined ? undefined : "images" in last ? last.images : last.cache?.images;
  const isAsItWas = known !== undefined && pending.every(({ at }) => at < last!.at);
  if (isAsItWas && known === "some") return 0;
  return newestItem(view, isAsItWas ? last!.request : 0, ({ features }) => features.images > 0)?.from;
}

/** A change that was undone is no change, but thinking that is bound to it was lost meanwhile. */
function thinkingLostOnTheWay(next: NextRequest, before: Configuration, { request }: PreviousRequest): PromptChange[] {
  const { view, configuration: now, thinking } = next;
  const sameHolders = before.systemHeldBy === now.systemHeldBy && before.toolsHeldBy === now.toolsHeldBy;
  if (thinking === "free" || sameHolders) return [];
  const first = view.items.find((item) => item.kind === "message" && hasThinking(item));
  if (first === undefined || first.from > request) return [];
  const cause = before.toolsHeldBy === now.toolsHeldBy ? "system" : "tools";
  return [{ cause, at: now.entry, from: first.from, what: ["bound thinking left out"] }];
}

function hasThinking({ blocks }: MessageItem): boolean {
  return blocks.some(({ kind }) => kind === "thinking");
}

/** From the user's new message back to the previous one: the provider no longer reads the thinking in between. */
function forgottenThinking(view: View, { request }: PreviousRequest): PromptChange | undefined {
  const isWords = ({ role, blocks }: MessageItem): boolean =>
    role === "user" && blocks.some(({ kind }) => kind !== "tool_result");
  const words = newestItem(view, request, isWords);
  if (words === undefined) return undefined;
  let earliest: number | undefined;
  for (let index = view.items.lastIndexOf(words) - 1; index >= 0; index--) {
    const item = view.items[index]!;
    if (item.kind === "seal") continue;
    if (item.from <= request && isWords(item)) break;
    if (hasThinking(item)) earliest = item.from;
  }
  // Thinking that was not sent yet changes nothing either.
  return earliest === undefined || earliest > request
    ? undefined
    : { cause: "earlier-thinking", at: words.from, from: earliest };
}

function newestItem(view: View, behind: number, is: (item: MessageItem) => boolean): MessageItem | undefined {
  for (let index = view.items.length - 1; index >= 0 && view.items[index]!.to > behind; index--) {
    const item = view.items[index]!;
    if (item.kind === "message" && is(item)) return item;
  }
  return undefined;
}

/** No mark can keep anything before these: the only mark before the messages is at the end of the system prompt. */
const MOVES_HEAD: ReadonlySet<string> = new Set(["provider", "model", "tools", "system", "betas"]);

/** Estimates how much of the previous request is still the beginning of this one; undefined for all of it. */
function keptTokensOf(
  view: View,
  { features: head }: Configuration,
  changes: readonly PromptChange[],
): number | undefined {
  const moving = changes.filter(({ cause }) => cause !== "cache-ttl");
  if (moving.length === 0) return undefined;
  if (moving.some(({ cause, from }) => from === undefined && MOVES_HEAD.has(cause))) return 0;
  const from = Math.min(...moving.map((change) => change.from ?? 0));
  let kept = head;
  for (const item of view.items) {
    if (item.to >= from) break;
    if (item.kind === "message") kept = addFeatures(kept, item.features);
  }
  return estimateTokens(view.calibration, kept);
}
