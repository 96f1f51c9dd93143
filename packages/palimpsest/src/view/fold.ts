// Builds the view: adds the entries of a log one by one.

import type { PassedOver, ReadEntry } from "../log/entry.ts";
import type { BoundaryPayload, ConfigurationPayload, ReplacePayload, UsagePayload } from "../log/payload.ts";
import type { DecisionPayload, RequestedEdits } from "../log/payload-compaction.ts";
import { inputTokensOf } from "../log/usage.ts";
import {
  addFeatures,
  estimateTokens,
  type Features,
  learn,
  NO_FEATURES,
  rememberFirst,
  startCalibration,
} from "../size/calibration.ts";
import { itemOf, replacementItems, resolveConfiguration } from "./items.ts";
import { type Anchor, type Item, returningTokens, type View } from "./view.ts";

/**
 * Adds one entry of the branch to the view. The caller leaves out decisions that a later `restore` undoes. To undo a decision, read
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
    case "decision":
      foldDecision(view, read.payload);
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
        // Such a server does not report sizes, so the calibration from its reports is wrong.
        view.calibration = startCalibration();
        forgetReport(view);
        break;
      }
      // A refusal that names the length of the request serves as a usage report.
      anchorOn(view, { answers: read.payload.request, responseId: "", inputTokens: read.payload.inputTokens ?? 0 });
      break;
    default:
      break;
  }
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
  // The response answers a request from before the newest change: the context that its thinking is bound to is gone.
  const late = item.answers !== undefined && item.answers < view.changedAt && item.answers !== view.awaited?.request;
  view.items.push(late ? { ...item, thinking: "lost" } : item);
  // The report includes the text of the response, also a piece that is recorded later.
  if (view.anchor === undefined || !isReported(item, view.anchor)) {
    view.since = addFeatures(view.since, item.features);
  }
}

/** A clearing of our own also replaces the results that the provider left out, so it ends the provider's edits. */
function foldDecision(view: View, { action, edits, deleted, returningTokens: estimated }: DecisionPayload): void {
  if (action === "clear") {
    // The stubs reduce the size by estimates of the same results, so the errors of the estimates cancel out.
    bringBack(view, {}, estimated);
    view.edits = undefined;
    view.deleted = [];
    return;
  }
  view.edits = edits ?? view.edits;
  view.deleted = deleted ?? view.deleted;
}

/** Adds results back to the size if a request does not ask to leave them out again. */
function bringBack(view: View, asked: RequestedEdits, tokens = returningTokens(view, asked)): void {
  if (tokens === 0) return;
  if (asked.edits === undefined) view.leftOut = undefined;
  if (asked.deleted === undefined) view.deletedTokens = 0;
  if (view.anchor) view.anchor = { ...view.anchor, tokens: view.anchor.tokens + tokens, prefix: "changed" };
}

/** Whether the counts of a usage entry come from the provider and describe the view as it was sent. */
function isReport({ estimated, input }: UsagePayload): boolean {
  return estimated !== "all" && input !== "truncated";
}

/** Sets the size of the view by a report, and learns from the difference to the estimate. */
function anchorOn(view: View, report: Report): void {
  const { answers, responseId, inputTokens, outputTokens = 0, appliedEdits, deletedTokens = 0 } = report;
  const { awaited, anchor } = view;
  if (awaited === undefined || answers !== awaited.request || report.folded === "within") return;
  // Some servers report no usage at all.
  if (inputTokens === 0) return;
  // The first report does not calibrate, because it includes text that the provider adds. A refusal does: the estimate was too low.
  const knownTokens = anchor === undefined ? (responseId === "" ? 0 : undefined) : anchor.tokens;
  // If the provider left out more or less than before, the difference does not show the size of the new items.
  const sameLeftOut =
    (appliedEdits?.tokens ?? 0) === (view.leftOut?.tokens ?? 0) && deletedTokens === view.deletedTokens;
  if (knownTokens !== undefined && anchor?.prefix !== "changed" && sameLeftOut) {
    view.calibration = learn(view.calibration, { features: awaited.since, tokens: inputTokens - knownTokens });
  }
  if (anchor === undefined && responseId !== "" && isMostlyHead(view, awaited.since)) {
    view.calibration = rememberFirst(view.calibration, { features: awaited.since, tokens: inputTokens });
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
  view.since = featuresAfterAnchor(view);
  view.awaited = undefined;
}

/** Whether the system prompt and the tools are most of the content. Then a report shows how much of them the estimate misses. */
function isMostlyHead({ configuration, calibration }: View, features: Features): boolean {
  const headTokens = estimateTokens(calibration, configuration?.features ?? NO_FEATURES);
  return headTokens >= MOSTLY_HEAD * estimateTokens(calibration, features);
}

const MOSTLY_HEAD = 0.75;

interface Report
  extends Partial<Pick<UsagePayload, "outputTokens" | "appliedEdits" | "deletedTokens" | "folded" | "ending">> {
  readonly answers?: number | undefined;
  readonly responseId: string;
  readonly inputTokens: number;
}

/** Returns the features of everything after the reported request, except the reported response. */
function featuresAfterAnchor({ items, anchor }: View): Features {
  const after: Item[] = [];
  for (let index = items.length - 1; index >= 0 && items[index]!.from > anchor!.request; index--) {
    const item = items[index]!;
    if (!isReported(item, anchor!)) after.push(item);
  }
  return featuresOfItems(after);
}

function configure(view: View, at: number, payload: ConfigurationPayload): void {
  const before = view.configuration;
  const configuration = resolveConfiguration(at, payload, before, view.featureOptions);
  if (configuration === undefined) return;
  view.configuration = configuration;
  const sameStart =
    before?.systemHeldBy === configuration.systemHeldBy &&
    before.toolsHeldBy === configuration.toolsHeldBy &&
    // The provider's own tools are a parameter.
    JSON.stringify(before.parameters["tools"]) === JSON.stringify(configuration.parameters["tools"]);
  // Thinking is bound to the system prompt and the tools, too.
  if (!sameStart) changeFrom(view, at, 0);
  const sameModel = before?.model === configuration.model && before.provider === configuration.provider;
  // Another model may count tokens differently.
  if (before !== undefined && !sameModel) view.calibration = startCalibration();
  if (sameStart && sameModel) return;
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
  view.since = featuresAfterAnchor(view);
}

/** Expects the report of an answer during which the provider compacted: the answer and its report follow that compaction. */
export function awaitAnswer(view: View, { answers }: Pick<BoundaryPayload, "answers">): void {
  if (answers !== undefined) view.awaited = { request: answers, since: view.since };
}

/** Drops the newest report. Until the next report, the whole size is estimated. */
export function forgetReport(view: View): void {
  view.anchor = undefined;
  view.awaited = undefined;
  view.since = addFeatures(view.configuration?.features ?? NO_FEATURES, featuresOfItems(view.items));
}

/** Marks a change before these items: their thinking no longer follows the content that it was written after. */
function changeFrom(view: View, at: number, first: number): void {
  view.changedAt = at;
  view.unchangedItems = Math.min(view.unchangedItems, first);
  for (let index = first; index < view.items.length; index++) {
    const item = view.items[index]!;
    if (item.kind === "message" && item.thinking === "intact") view.items[index] = { ...item, thinking: "lost" };
  }
}

/** Returns the position of the first item in a range of entries, or of the first item after the range. */
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

/** Whether the item is part of the response that the newest report already counts. */
function isReported(item: Item, { responseId }: Anchor): boolean {
  return item.kind === "message" && item.responseId === responseId;
}

function estimate(view: View, features: Features): number {
  return estimateTokens(view.calibration, features);
}

function featuresOfItems(items: readonly Item[]): Features {
  return items.reduce((sum, item) => (item.kind === "message" ? addFeatures(sum, item.features) : sum), NO_FEATURES);
}
