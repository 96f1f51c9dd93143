// Finds cache misses and their causes: what differs between two requests, and how much of the prompt was not read from the cache.

import type {
  CacheDiagnosis,
  CacheEffects,
  CacheFacts,
  Cause,
  ChangeCause,
  ModelPrices,
  PromptChange,
} from "../log/cause.ts";
import type { ToolDefinition } from "../log/payload.ts";
import type { ProviderEdits, RequestedEdits } from "../log/payload-compaction.ts";
import { addFeatures, estimateTokens, missedTokens } from "../size/calibration.ts";
import { headTools } from "../view/tool-search.ts";
import type { Configuration, MessageItem, View } from "../view/view.ts";
import { type Ledger, newestAnswered, ownSource, type PreviousRequest } from "./ledger.ts";

/** Returns the facts about the next request that explain its cache reads later. */
export function describeRequest(next: NextRequest): CacheFacts {
  const { view, ledger, configuration, lifetimeMs, headLifetimeMs, prices, asked = {} } = next;
  const previous = newestAnswered(ledger);
  const images = newestImage(view, ledger);
  const changes = previous === undefined ? [] : findChanges(next, previous, images);
  const keptTokens = keptTokensOf(view, configuration, changes);
  return {
    configuration: configuration.entry,
    images: images === undefined ? "none" : "some",
    lifetimeMs,
    headLifetimeMs,
    ...asked,
    comparedWith: previous?.at,
    ...(changes.length === 0 ? {} : { changes }),
    keptTokens,
    prices,
  };
}

/** The next request, and the previous state to compare it with. */
export interface NextRequest {
  readonly view: View;
  readonly ledger: Ledger;
  readonly configuration: Configuration;
  /** The configuration of the newest answered request; undefined if there is none, or if it cannot be read any more. */
  readonly before: Configuration | undefined;
  readonly lifetimeMs: number;
  /** The lifetime of the system prompt and the tools. @default `lifetimeMs` */
  readonly headLifetimeMs?: number | undefined;
  /** @default any parameter may change the prompt, images do not */
  readonly effects?: CacheEffects | undefined;
  /** Whether replayed thinking must follow the exact conversation that produced it. */
  readonly thinking: "bound" | "free";
  /** @default "kept" */
  readonly earlierThinking?: "kept" | "stripped" | undefined;
  readonly prices?: ModelPrices | undefined;
  /** Edits of the prompt that the request asks for. @default none */
  readonly asked?: RequestedEdits;
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
    ...(before === undefined || configured.length > 0 ? [] : lostThinking(next, before, previous)),
    ...(imagesChanged ? [{ cause: "images", at: image ?? decided.at(-1)?.at ?? 0 } as const] : []),
    ...decided,
    ...(forgotten === undefined ? [] : [forgotten]),
    ...(sameEdits(previous.edits, next.asked?.edits)
      ? []
      : [{ cause: "provider-edits", at: 0, what: ["asked for other edits"] } as const]),
    // A changed lifetime of the system prompt is no cause: it changes only when the system prompt is written anyway.
    ...(previous.lifetimeMs === lifetimeMs ? [] : [{ cause: "cache-ttl", at: 0 } as const]),
  ];
  return changes.sort(compareCauses);
}

/** The default: any parameter may change the prompt, images do not. */
const UNKNOWN_EFFECTS: CacheEffects = { parameters: {}, images: "nothing" };

/** Compares the configurations of two requests by value, so a change that was undone does not count. */
export function compareConfigurations(
  before: Configuration,
  now: Configuration,
  effects: CacheEffects,
): readonly PromptChange[] {
  if (before.entry === now.entry) return [];
  const change = (cause: ChangeCause, what?: readonly string[]): PromptChange => ({
    cause,
    at: now.entry,
    what,
  });
  const tools =
    before.toolsHeldBy === now.toolsHeldBy ? [] : compareTools(headTools(before.tools), headTools(now.tools));
  const fields = compareParameters(before.parameters, now.parameters, effects);
  const toolsChanged = [...tools, ...(fields.get("tools") ?? [])];
  fields.delete("tools");
  return [
    ...(before.provider === now.provider ? [] : [change("provider")]),
    ...(before.model === now.model ? [] : [change("model")]),
    ...(toolsChanged.length === 0 ? [] : [change("tools", toolsChanged)]),
    ...(before.system === now.system ? [] : [change("system")]),
    ...[...fields].map(([cause, names]) => change(cause, names)),
  ];
}

/** Describes the differences between two tool lists in words. */
function compareTools(before: readonly ToolDefinition[], now: readonly ToolDefinition[]): string[] {
  const known = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]));
  const names = new Set(now.map(({ name }) => name));
  const added = now.filter(({ name }) => !known.has(name)).map(({ name }) => `added ${name}`);
  const removed = [...known.keys()].filter((name) => !names.has(name)).map((name) => `removed ${name}`);
  const changed = now
    .filter((tool) => known.has(tool.name) && known.get(tool.name) !== JSON.stringify(tool))
    .map(({ name }) => `changed ${name}`);
  const keptBefore = before.filter(({ name }) => names.has(name)).map(({ name }) => name);
  const keptNow = now.filter(({ name }) => known.has(name)).map(({ name }) => name);
  const order = keptBefore.join("\n") === keptNow.join("\n") ? [] : ["reordered"];
  return [...added, ...removed, ...changed, ...order];
}

function compareParameters(
  before: Configuration["parameters"],
  now: Configuration["parameters"],
  { parameters }: CacheEffects,
): Map<ChangeCause, string[]> {
  const fields = new Map<ChangeCause, string[]>();
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const known = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const cause = name === OWN_TOOLS ? "tools" : (known ?? "parameters");
    if (cause === "nothing" || JSON.stringify(before[name]) === JSON.stringify(now[name])) continue;
    fields.set(cause, [...(fields.get(cause) ?? []), name]);
  }
  return fields;
}

/** The parameter with the service's own tools. They are in the same place of the prompt as the other tools. */
const OWN_TOOLS = "tools";

/** Returns the change to the prompt if a configuration was changed and restored: bound thinking was left out in between. */
function lostThinking(next: NextRequest, before: Configuration, { request }: PreviousRequest): PromptChange[] {
  const { view, configuration: now, thinking } = next;
  const sameHolders = before.systemHeldBy === now.systemHeldBy && before.toolsHeldBy === now.toolsHeldBy;
  if (thinking === "free" || sameHolders) return [];
  const first = view.items.find((item) => item.kind === "message" && hasThinking(item));
  if (first === undefined || first.from > request) return [];
  const cause = before.toolsHeldBy === now.toolsHeldBy ? "system" : "tools";
  return [{ cause, at: now.entry, from: first.from, what: ["bound thinking left out"] }];
}

/** Returns the change to the prompt after a new user message: the provider no longer reads the thinking before it. */
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
  // Thinking that was not sent yet changes nothing.
  return earliest === undefined || earliest > request
    ? undefined
    : { cause: "earlier-thinking", at: words.from, from: earliest };
}

function hasThinking({ blocks }: MessageItem): boolean {
  return blocks.some(({ kind }) => kind === "thinking");
}

/** Compares requested edits, without the number of turns, which grows while the kept thinking begins at the same place. */
function sameEdits(before: ProviderEdits | undefined, now: ProviderEdits | undefined): boolean {
  const keyOf = (edits: ProviderEdits | undefined): string =>
    JSON.stringify([edits?.results, edits?.thinking === "all" ? "all" : edits?.thinking.from]);
  return keyOf(before) === keyOf(now);
}

/**
 * Returns the newest entry shown with an image; 0 if it was in the newest request, undefined if there is none. Looks only at
 * entries after that request, unless something before it has changed since.
 */
function newestImage(view: View, ledger: Ledger): number | undefined {
  const { previous, open = [] } = ledger.sources[ownSource(ledger)] ?? {};
  const last = open.at(-1) ?? previous;
  const known = last === undefined ? undefined : "images" in last ? last.images : last.cache?.images;
  const isAsItWas = known !== undefined && ledger.pending.every(({ at }) => at < last!.at);
  if (isAsItWas && known === "some") return 0;
  return newestItem(view, isAsItWas ? last!.request : 0, ({ features }) => features.images > 0)?.from;
}

/** Returns the newest message after an entry that meets a condition. */
function newestItem(view: View, after: number, is: (item: MessageItem) => boolean): MessageItem | undefined {
  for (let index = view.items.length - 1; index >= 0 && view.items[index]!.to > after; index--) {
    const item = view.items[index]!;
    if (item.kind === "message" && is(item)) return item;
  }
  return undefined;
}

/** Estimates how many tokens at the start are unchanged since the previous request; undefined if that is all of them. */
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
  return Math.max(0, estimateTokens(view.calibration, kept) + missedTokens(view.calibration));
}

/** Causes that leave nothing of the cache, because the only mark before the messages is at the end of the system prompt. */
const MOVES_HEAD: ReadonlySet<string> = new Set(["provider", "model", "tools", "system", "betas"]);

/**
 * Returns how many tokens fewer were read than the previous request left in the cache; undefined if that is not a break. A request
 * leaves the tokens that it read and wrote, so the second request of a session can be a break, too.
 */
export function findDrop(before: CacheTokens, now: Omit<CacheTokens, "cacheWriteTokens">): number | undefined {
  const leftTokens = leftInCache(before, now);
  const droppedTokens = leftTokens - now.cacheReadTokens;
  return droppedTokens > BREAK_TOKENS && droppedTokens > BREAK_SHARE * leftTokens ? droppedTokens : undefined;
}

interface CacheTokens {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Tokens that the provider has deleted from the cached prompt so far. @default 0 */
  readonly deletedTokens?: number;
}

/** A drop is a break if it exceeds both limits. Smaller drops are the tail of a message, or the provider's rounding. */
const BREAK_SHARE = 0.05;
const BREAK_TOKENS = 2_000;

/** Returns the tokens that a request left in the cache, minus the tokens that the next request deleted. */
export function leftInCache(before: CacheTokens, now: Pick<CacheTokens, "deletedTokens">): number {
  const newlyDeleted = Math.max(0, (now.deletedTokens ?? 0) - (before.deletedTokens ?? 0));
  return Math.max(0, before.cacheReadTokens + before.cacheWriteTokens - newlyDeleted);
}

/** Returns why a prompt is not in the cache: every cause in the log, and a long pause. If there is no cause, the server is. */
export function nameCauses({ changes, pauseMs = 0, lifetimeMs }: RequestChanges): readonly Cause[] {
  const pause = pauseMs >= lifetimeMs ? [{ cause: "pause" as const }] : [];
  const placed: Placed[] = [...changes, ...pause];
  const causes = placed.toSorted(compareCauses).map(({ cause }) => cause);
  return causes.length === 0 ? ["server"] : [...new Set(causes)];
}

interface RequestChanges {
  /** The changes in the log, earliest in the prompt first. */
  readonly changes: readonly { readonly cause: ChangeCause; readonly from?: number }[];
  /** Time between the two requests; absent if there was no previous one. */
  readonly pauseMs?: number;
  readonly lifetimeMs: number;
}

interface Placed {
  readonly cause: Cause;
  readonly from?: number;
}

/** Sorts causes by their place in the prompt, earliest first. */
function compareCauses(a: Placed, b: Placed): number {
  return placeOf(a) - placeOf(b) || (a.from ?? 0) - (b.from ?? 0) || ORDER.indexOf(a.cause) - ORDER.indexOf(b.cause);
}

/** Returns the place of a cause. A cause that begins at one message comes after all causes that affect every message. */
function placeOf({ cause, from }: Placed): number {
  return ORDER.indexOf(from === undefined ? cause : "boundary");
}

/** Causes by their place in the prompt: the first byte, tools, system prompt, all messages, some messages. */
const ORDER: readonly Cause[] = [
  ...(["provider", "model", "pause", "tools", "system", "betas", "parameters"] as const),
  ...(["thinking", "effort", "tool-choice", "images"] as const),
  ...([
    "boundary",
    "rewind",
    "restore",
    "replace",
    "provider-edits",
    "earlier-thinking",
    "cache-ttl",
    "server",
  ] as const),
];

/** Whether decisions caused the miss, so that it was expected. */
export function isExpected(causes: readonly Cause[]): boolean {
  return !causes.includes("pause") && !causes.includes("server");
}

/**
 * Returns whether the provider's diagnosis agrees with one of the causes; undefined if the provider could not compare. Providers
 * name only the earliest difference.
 */
export function checkDiagnosis(causes: readonly Cause[], { reason }: CacheDiagnosis): "agrees" | "differs" | undefined {
  if (reason === "unknown") return undefined;
  return causes.some((cause) => REASONS[cause].includes(reason)) ? "agrees" : "differs";
}

type Reason = CacheDiagnosis["reason"];

/** The reasons that a provider may give for each cause. It compares prompts, so events in its own cache have no reason. */
const REASONS: Readonly<Record<Cause, readonly Reason[]>> = {
  provider: ["unknown"],
  model: ["model"],
  tools: ["tools"],
  // `messages`: for services where the system prompt is part of the input.
  system: ["system", "messages"],
  betas: ["parameters"],
  parameters: ["parameters", "model", "system", "messages"],
  thinking: ["parameters"],
  effort: ["parameters"],
  "tool-choice": ["parameters"],
  images: ["messages"],
  boundary: ["messages"],
  rewind: ["messages"],
  restore: ["messages"],
  replace: ["messages"],
  "earlier-thinking": ["messages", "nowhere"],
  // The provider compares the sent content, or the content without the removed parts.
  "provider-edits": ["parameters", "messages", "nowhere"],
  "cache-ttl": ["nowhere"],
  pause: ["nowhere"],
  server: ["nowhere"],
};

/** Returns whether the cache still has the prompt of the newest answered request. `none`: there was no request yet. */
export function cachedPrompt(previous: PreviousRequest | undefined, nowMs: number): "none" | "warm" | "cold" {
  if (previous === undefined) return "none";
  // Undoing the deletions changes the prompt, so the cache counts as cold.
  return previous.deletions === "stale" || nowMs >= previous.atMs + previous.lifetimeMs ? "cold" : "warm";
}
