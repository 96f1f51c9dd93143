import type { PassedOver, ReadEntry } from "../log/draft.ts";
import type { BoundaryPayload, ConfigurationPayload, ReplacePayload, UsagePayload } from "../log/payload.ts";
import type { RequestedEdits } from "../log/payload-compaction.ts";
import { inputTokensOf } from "../log/usage.ts";
import { estimateTokens, learn, startCalibration } from "../size/calibration.ts";
import { addFeatures, type Features, NO_FEATURES } from "../size/features.ts";
import { itemOf, replacementItems, resolveConfiguration } from "./items.ts";
import { type Anchor, type Item, type MessageItem, returningTokens, type View } from "./view.ts";

/**
 * Adds one entry of the branch to the view. The caller leaves out decisions that a later `restore` takes back: to go back, read
 * the log again.
 */
export function foldEntry(view: View, read: ReadEntry | PassedOver): void {
  const at = read.sequence;
  switch (read.kind) {
    case "message":
    case "attachment":
    case "request":
      append(view, itemOf(read, view.featureOptions));
      break;
    case "usage":
      if (isReport(read.payload)) anchorOn(view, { ...read.payload, inputTokens: inputTokensOf(read.payload) });
      break;
    case "configuration":
      configure(view, at, read.payload);
      break;
    case "replace":
      replace(view, at, read.payload);
      break;
    case "boundary":
      replace(view, at, read.payload);
      forgetReport(view);
      awaitAnswer(view, read.payload);
      view.edits = undefined;
      view.leftOut = undefined;
      view.deleted = [];
      view.deletedTokens = 0;
      break;
    case "restore":
      changeFrom(view, at, firstOverlapping(view.items, read.payload));
      forgetReport(view);
      break;
    case "rewind":
      view.breaks = [...view.breaks, at];
      break;
    case "overflow":
      if (read.payload.how === "truncated") {
        // Reports of such a server are no sizes, so calibration from them is wrong.
        view.calibration = startCalibration();
        forgetReport(view);
        break;
      }
      // A refusal that names the length of the request is as good as a usage report.
      anchorOn(view, { answers: read.payload.request, responseId: "", inputTokens: read.payload.inputTokens ?? 0 });
      break;
    default:
      break;
  }
}

/** From here on the size is known from the next report; until then all of it is estimated. */
export function forgetReport(view: View): void {
  view.anchor = undefined;
  view.awaited = undefined;
  view.since = addFeatures(view.configuration?.features ?? NO_FEATURES, featuresOfItems(view.items));
}

/** If the provider compacted in the middle of an answer, the answer and its report follow that compaction. */
export function awaitAnswer(view: View, { answers }: Pick<BoundaryPayload, "answers">): void {
  if (answers !== undefined) view.awaited = { request: answers, since: view.since };
}

function append(view: View, item: Item | undefined): void {
  if (item === undefined) return;
  if (item.kind === "seal") {
    view.items.push(item);
    bringBack(view, item);
    view.edits = item.edits ?? view.edits;
    view.deleted = item.deleted ?? [];
    const asked = item.edits === undefined ? {} : { edits: item.edits };
    view.awaited = { request: item.from, since: view.since, ...asked };
    return;
  }
  // A response to a request from before the newest change: the context that its thinking is bound to is gone.
  const late = item.answers !== undefined && item.answers < view.changedAt && item.answers !== view.awaited?.request;
  view.items.push(late ? { ...item, thinking: "lost" } : item);
  // The reported output is exact for the text of the response, also for a piece that is recorded later.
  if (view.anchor === undefined || !isReported(item, view.anchor)) {
    view.since = addFeatures(view.since, item.features);
  }
}

/** Results that a request does not ask to leave out again are part of the prompt again. */
function bringBack(view: View, asked: RequestedEdits): void {
  const tokens = returningTokens(view, asked);
  if (tokens === 0) return;
  if (asked.edits === undefined) view.leftOut = undefined;
  if (asked.deleted === undefined) view.deletedTokens = 0;
  if (view.anchor) view.anchor = { ...view.anchor, tokens: view.anchor.tokens + tokens, prefix: "changed" };
}

/** Whether the counts of a usage entry come from the provider and describe the view as it was sent. */
function isReport({ estimated, input }: UsagePayload): boolean {
  return estimated !== "all" && input !== "truncated";
}

interface Report
  extends Partial<Pick<UsagePayload, "outputTokens" | "appliedEdits" | "deletedTokens" | "folded" | "ending">> {
  readonly answers?: number | undefined;
  readonly responseId: string;
  readonly inputTokens: number;
}

function anchorOn(view: View, report: Report): void {
  const { answers, responseId, inputTokens, outputTokens = 0, appliedEdits, deletedTokens = 0 } = report;
  const { awaited, anchor } = view;
  if (awaited === undefined || answers !== awaited.request || report.folded === "within") return;
  // Some servers report no usage at all.
  if (inputTokens === 0) return;
  // The first report does not calibrate: it includes what the provider adds itself. A refusal does: the estimate was too low.
  const knownTokens = anchor === undefined ? (responseId === "" ? 0 : undefined) : anchor.tokens;
  // If the provider left out more than before, the difference does not show the size of the new items.
  const sameLeftOut =
    (appliedEdits?.tokens ?? 0) === (view.leftOut?.tokens ?? 0) && deletedTokens === view.deletedTokens;
  if (knownTokens !== undefined && anchor?.prefix !== "changed" && sameLeftOut) {
    view.calibration = learn(view.calibration, { features: awaited.since, tokens: inputTokens - knownTokens });
  }
  // Only the text of an interrupted answer is in view: its output count does not describe that text.
  const isWhole = report.ending !== "interrupted";
  view.anchor = {
    request: awaited.request,
    responseId: isWhole ? responseId : "",
    tokens: inputTokens + (isWhole ? outputTokens : 0),
    inputTokens,
    prefix: "same",
  };
  view.deletedTokens = deletedTokens;
  view.leftOut = appliedEdits && {
    results: appliedEdits.results,
    tokens: appliedEdits.tokens,
    keptTools: awaited.edits?.results.keptTools ?? [],
    askedBy: awaited.edits === undefined ? "caller" : "engine",
  };
  view.since = featuresBehindAnchor(view);
  view.awaited = undefined;
}

/** The anchor is the request: everything appended after it counts as new, except the reported response. */
function featuresBehindAnchor({ items, anchor }: View): Features {
  const behind: Item[] = [];
  for (let index = items.length - 1; index >= 0 && items[index]!.from > anchor!.request; index--) {
    const item = items[index]!;
    if (!isReported(item, anchor!)) behind.push(item);
  }
  return featuresOfItems(behind);
}

function configure(view: View, at: number, payload: ConfigurationPayload): void {
  const before = view.configuration;
  const configuration = resolveConfiguration(at, payload, before, view.featureOptions);
  if (configuration === undefined) return;
  view.configuration = configuration;
  const sameHead =
    before?.systemHeldBy === configuration.systemHeldBy &&
    before.toolsHeldBy === configuration.toolsHeldBy &&
    // Tools that the provider runs itself.
    JSON.stringify(before.parameters["tools"]) === JSON.stringify(configuration.parameters["tools"]);
  // Thinking is bound to the system prompt and the tools, too.
  if (!sameHead) changeFrom(view, at, 0);
  const sameModel = before?.model === configuration.model && before.provider === configuration.provider;
  // Another model may count tokens differently.
  if (before !== undefined && !sameModel) view.calibration = startCalibration();
  if (sameHead && sameModel) return;
  const { anchor } = view;
  view.awaited = undefined;
  if (anchor === undefined) {
    forgetReport(view);
    return;
  }
  const difference = estimate(view, configuration.features) - estimate(view, before?.features ?? NO_FEATURES);
  view.anchor = { ...anchor, tokens: Math.max(0, anchor.tokens + difference), prefix: "changed" };
}

function replace(view: View, at: number, payload: ReplacePayload | BoundaryPayload): void {
  const { items, anchor } = view;
  const first = firstOverlapping(items, payload);
  let end = first;
  while (end < items.length && items[end]!.from <= payload.to) end++;
  // Items that are no longer shown cannot be replaced.
  if (first === end) return;
  // An item that stands for several entries is replaced as a whole.
  const from = Math.min(payload.from, items[first]!.from);
  const to = Math.max(items[end - 1]!.to, Math.min(payload.to, at - 1));
  const added = replacementItems({ from, to, by: at }, payload.with, view.featureOptions);
  const removed = items.splice(first, end - first, ...added);
  view.hidden = view.hidden.filter((shown) => shown.to < from || shown.from > to);
  // No run spans a replacement, so the ends of runs inside it are not needed.
  view.breaks = view.breaks.filter((end) => end <= from || end > to);
  if (added.length === 0) {
    view.breaks = [...view.breaks, removed.at(-1)!.to + 1];
    view.hidden = [...view.hidden, { from, to, by: at }];
  }
  changeFrom(view, at, first);
  view.awaited = undefined;
  if (anchor === undefined) {
    forgetReport(view);
    return;
  }
  const covered = removed.filter((item) => item.from <= anchor.request || isReported(item, anchor));
  if (covered.length > 0) {
    const difference = estimate(view, featuresOfItems(added)) - estimate(view, featuresOfItems(covered));
    view.anchor = { ...anchor, tokens: Math.max(0, anchor.tokens + difference), prefix: "changed" };
  }
  view.since = featuresBehindAnchor(view);
}

/** The first item for an entry of the range, or the first item after it. */
export function firstOverlapping(items: readonly Item[], { from }: { readonly from: number }): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.to < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Something before these items has changed: none of their thinking stands where it was written. */
function changeFrom(view: View, at: number, first: number): void {
  view.changedAt = at;
  view.unchangedItems = Math.min(view.unchangedItems, first);
  for (let index = first; index < view.items.length; index++) {
    const item = view.items[index]!;
    if (item.kind === "message" && item.thinking === "intact") view.items[index] = { ...item, thinking: "lost" };
  }
}

/** The reported output is exact for the text of the response. */
function isReported(item: Item, { responseId }: Anchor): boolean {
  return item.kind === "message" && item.responseId === responseId;
}

function estimate(view: View, features: Features): number {
  return estimateTokens(view.calibration, features);
}

function featuresOfItems(items: readonly Item[]): Features {
  return items.reduce((sum, item) => (item.kind === "message" ? addFeatures(sum, item.features) : sum), NO_FEATURES);
}

/**
 * Returns pairs of positions that must be kept together, the earlier first: a call and its result, the pieces of one response
 * (its thinking is bound to them), and the items that one decision placed together.
 */
export function tiesOf(items: readonly Item[]): readonly (readonly [number, number])[] {
  const ties: [number, number][] = [];
  const tie = (one: number, other: number): void => {
    ties.push(one < other ? [one, other] : [other, one]);
  };
  const firstOfResponse = new Map<string, number>();
  // As in flattening, a call is answered before the next request, by position and id, because ids are not always unique. A
  // later result is sent as text and needs no call.
  let openCalls = new Map<string, number[]>();
  let openResults = new Map<string, number[]>();
  let previous: MessageItem | undefined;

  for (const [at, item] of items.entries()) {
    if (item.kind === "seal") {
      openCalls = new Map();
      openResults = new Map();
      previous = undefined;
      continue;
    }
    if (item.responseId !== undefined) {
      const first = firstOfResponse.get(item.responseId);
      if (first === undefined) firstOfResponse.set(item.responseId, at);
      else tie(first, at);
    }
    if (previous !== undefined && isSameMessage(previous, item)) tie(at - 1, at);
    for (const block of item.blocks) {
      if (block.kind === "tool_call") pair(block.id, at, openCalls, openResults, tie);
      // A piece of a response may be recorded after the result of its call.
      if (block.kind === "tool_result") pair(block.callId, at, openResults, openCalls, tie);
    }
    previous = item;
  }
  return ties;
}

/** Moves a cut back until no pair spans it, but not before `floor`. */
export function wholeFrom(items: readonly Item[], cutAt: number, floor = 0): number {
  let cut = cutAt;
  // From the back: items that a moved cut takes in may belong to even earlier ones.
  for (const [earlier, later] of tiesOf(items.slice(floor)).toSorted(([, one], [, other]) => other - one)) {
    if (later + floor >= cut) cut = Math.min(cut, earlier + floor);
  }
  return cut;
}

type Open = Map<string, number[]>;

/** Pairs with the earliest counterpart that is still alone, or waits for one. */
function pair(id: string, at: number, own: Open, counterparts: Open, tie: (one: number, other: number) => void): void {
  const counterpart = counterparts.get(id)?.shift();
  if (counterpart !== undefined) tie(counterpart, at);
  else own.set(id, [...(own.get(id) ?? []), at]);
}

/** Neighbors without a distinction: parts of one replacement, or of a response without an id. */
function isSameMessage(one: MessageItem, other: MessageItem): boolean {
  if (one.by !== undefined && one.by === other.by && one.from === other.from) return true;
  const isUnnamed = one.responseId === undefined && other.responseId === undefined;
  return isUnnamed && one.role === "assistant" && other.role === "assistant";
}
