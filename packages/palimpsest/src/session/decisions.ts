// Decisions about the view, each of them an entry: replace, fold, snip, restore and rewind.

import type { Ahead } from "../compact/ahead.ts";
import { planBoundary } from "../compact/install.ts";
import { gatherKnowledge } from "../compact/parts/knowledge.ts";
import { NoSuchEntryError } from "../errors.ts";
import type { Block } from "../log/block.ts";
import { readPayload, toDraft } from "../log/entry.ts";
import type { Replacement, ReplacePayload, RewindPayload } from "../log/payload.ts";
import { withProvenance } from "../log/provenance.ts";
import type { Json, Policy } from "../policy/policy.ts";
import type { Provider } from "../providers/provider.ts";
import { recallOf } from "../recall/recall.ts";
import type { FeatureOptions } from "../size/calibration.ts";
import { loadView, readEntry } from "../state/load.ts";
import { measuresOf, type SessionState } from "../state/state.ts";
import { readEntries } from "../stores/read.ts";
import type { LogReader } from "../stores/store.ts";
import { firstOverlapping } from "../view/fold.ts";
import { tiesOf } from "../view/kept-together.ts";
import { openCalls } from "../view/turn.ts";
import { type Configuration, type Item, type MessageItem, sharedTo, type View } from "../view/view.ts";
import { changeConfiguration, type NewConfiguration } from "./configure.ts";

/** The parts of a session that decisions need. A recorder has these parts too. */
interface DecisionParts {
  readonly state: SessionState;
  readonly options: FeatureOptions;
  readonly ports: { readonly provider: Pick<Provider, "name"> };
  /** A recorder prepares no summaries. */
  readonly ahead?: Pick<Ahead, "after" | "afterRewind" | "tellCompacted">;
  /** A recorder has no policy, so its boundaries carry nothing for the parts. */
  readonly policy?: { readonly current: Policy };
}

/** Shows other content in place of a range of entries. */
export async function replace(parts: DecisionParts, payload: ReplacePayload): Promise<number> {
  checkShown(parts.state, payload);
  return enter(parts, { ...payload, with: payload.with.map(withProvenance) });
}

/** Appends a decision of the host or the user. A prepared summary of the same content is dropped. */
async function enter({ state, ahead }: DecisionParts, payload: ReplacePayload): Promise<number> {
  const { from, to, reason } = payload;
  const because = `entries ${from} to ${to} were replaced: ${reason}`;
  const dropped = ahead?.after({ range: { from, to }, reason: "content-changed", because });
  const [decision] = await state.append([toDraft("replace", payload), ...(dropped?.drafts ?? [])]);
  dropped?.tell();
  return decision!;
}

/** Replaces a range by a boundary. Later reads of the log start at the boundary. */
export async function fold({ state, policy, ahead }: DecisionParts, payload: ReplacePayload): Promise<number> {
  checkShown(state, payload);
  const { log, view, ledger, newestEntry } = state;
  const { countTokens } = measuresOf(view);
  const keep = policy?.current.compact.keep ?? [];
  const gathered = await gatherKnowledge(log, newestEntry, state.carriedState, { keep, countTokens });
  const carriedState = { ...state.carriedState, ...gathered.knowledge };
  const decision = { ...payload, with: payload.with.map(withProvenance) };
  const boundary = planBoundary(decision, { view, ledger, carriedState, sequence: newestEntry + 1 });
  const { prepared } = state.carriedState;
  const [entry] = await state.append([toDraft("boundary", boundary)]);
  ahead?.tellCompacted(prepared);
  return entry!;
}

/** Throws if no part of the range is shown to the model: the decision would have no effect. */
function checkShown({ view, newestEntry }: SessionState, { from, to }: ReplacePayload): void {
  const { items } = view;
  let index = firstOverlapping(items, { from });
  while (items[index]?.kind === "seal") index++;
  const isShown = (items[index]?.from ?? Number.POSITIVE_INFINITY) <= to;
  if (!(from <= to && to <= newestEntry && isShown)) {
    throw new NoSuchEntryError(from, `to ${to}: no part of this range is shown to the model`);
  }
}

/** Records a fact for the rules of the policy. */
export async function mark(state: SessionState, name: string, value: Json): Promise<number> {
  const [entry] = await state.append([toDraft("mark", { name, value })]);
  return entry!;
}

/** Removes messages, or one block of a message, from the view. */
export async function snip(parts: DecisionParts, target: SnipTarget, reason: string): Promise<number> {
  const { state } = parts;
  const plan = planSnip(state.view.items, target, { reason, recall: recallOf(state.configuration.tools) });
  const entry = "block" in target ? target.entry : target.from;
  if (plan === undefined) throw new NoSuchEntryError(entry, "is not shown to the model, or has no such block");
  return enter(parts, plan);
}

/** Undoes a decision that is in effect. */
export async function restore({ state, ahead }: DecisionParts, decision: number, reason: string): Promise<void> {
  const { items, hidden } = state.view;
  const isInEffect = [...items, ...hidden].some((shown) => "by" in shown && shown.by === decision);
  const read = await readEntry(state.log, decision);
  if (!isInEffect || (read?.kind !== "replace" && read?.kind !== "boundary")) {
    throw new NoSuchEntryError(decision, "is not a decision in effect, so it cannot be undone");
  }
  const { from, to } = read.payload;
  const because = `decision ${decision} was undone: ${reason}`;
  const dropped =
    read.kind === "boundary"
      ? ahead?.after({ reason: "undone", because })
      : ahead?.after({ range: { from, to }, reason: "content-changed", because });
  const restored = toDraft("restore", { of: decision, from, to, reason, was: read.kind });
  await state.append([restored, ...(dropped?.drafts ?? [])]);
  await state.reload();
  dropped?.tell();
}

/** Goes back to an earlier entry. The entries after it stay in the log, on their own branch. */
export async function rewind(parts: DecisionParts, to: number, reason: string): Promise<void> {
  const { state, options, ports, ahead } = parts;
  const { newestEntry, sharedTo: first } = state;
  if (!(Number.isInteger(to) && to >= first && to < newestEntry)) {
    const begins = first === 0 ? "" : `, and a fork cannot go back beyond entry ${first}, where it begins`;
    throw new NoSuchEntryError(to, `is not a target for a rewind: the newest entry is ${newestEntry}${begins}`);
  }
  const { view: target } = await loadView(state.log, to, options);
  const request = await requestAtEnd(state.log, target);
  const begun = await begunSince(state, target, to);
  const prepared = ahead?.afterRewind(to);
  const payload: RewindPayload = {
    reason,
    ledger: state.ledger,
    sharedTo: sharedTo(state.view, target),
    request,
    begun: begun.length === 0 ? undefined : begun,
    prepared: prepared?.prepared,
  };
  const configuration = changeConfiguration(
    target.configuration,
    configurationAfterRewind(target.configuration, state.configuration, ports.provider.name),
  );
  // One batch: a session without a configuration could not continue.
  await state.append([
    toDraft("rewind", payload, to),
    ...(configuration === undefined ? [] : [toDraft("configuration", configuration)]),
  ]);
  await state.reload();
  prepared?.tell();
}

/**
 * Returns the request at the end of a view, which would be issued again. Undefined if the view does not end with one.
 */
async function requestAtEnd(log: LogReader, { items, awaited }: View): Promise<RewindPayload["request"]> {
  const last = items.at(-1);
  if (last?.kind !== "seal" || awaited?.request !== last.from) return undefined;
  const read = await readEntry(log, last.from);
  return { entry: last.from, cache: read?.kind === "request" ? read.payload.cache : undefined };
}

/** Finds the calls that are open at an entry and began after it. A rewind does not undo their effects. */
async function begunSince({ log, newestEntry }: SessionState, target: View, to: number): Promise<readonly string[]> {
  const open = new Set(openCalls(target).map(({ call }) => call.id));
  const begun: string[] = [];
  if (open.size === 0) return begun;
  for await (const entry of readEntries(log, to + 1, newestEntry)) {
    const read = readPayload(entry);
    if (read.kind === "call" && read.payload.step === "begun" && open.has(read.payload.call))
      begun.push(read.payload.call);
  }
  return begun;
}

/**
 * Returns the configuration after a rewind: the one at the target, unless it is missing or belonged to another provider
 * or agent.
 */
function configurationAfterRewind(
  then: Configuration | undefined,
  now: Configuration,
  provider: string,
): NewConfiguration {
  const isAnothers = then?.provenance !== undefined && now.provenance === undefined;
  if (then?.provider === provider && !isAnothers) return { provider, model: then.model, provenance: then.provenance };
  const { model, system, tools, parameters, provenance } = now;
  return { provider, model, system, tools, parameters, provenance };
}

/** A range of messages, or one block of one message. */
export type SnipTarget =
  | { readonly from: number; readonly to: number }
  | { readonly entry: number /** Counted from 0. */; readonly block: number };

export interface SnipReason {
  readonly reason: string;
  /** Whether the model can recall the removed content. */
  readonly recall: "offered" | "missing";
}

/**
 * Plans the removal of a range or a block from the view: a wrong turn, a bad image, a huge paste. Undefined if no part
 * of the target is shown.
 */
export function planSnip(items: readonly Item[], target: SnipTarget, why: SnipReason): ReplacePayload | undefined {
  return "block" in target ? snipBlock(items, target, why) : snipRange(items, target, why);
}

/** Extends the range so that tool calls stay with their results. */
function snipRange(
  items: readonly Item[],
  range: { readonly from: number; readonly to: number },
  { reason, recall }: SnipReason,
): ReplacePayload | undefined {
  let first = items.findIndex(({ to }) => to >= range.from);
  let last = items.findLastIndex(({ from }) => from <= range.to);
  if (first < 0 || last < first) return undefined;
  const ties = tiesOf(items);
  for (let grown = true; grown; ) {
    const tied = ties.filter(([one, other]) => one <= last && other >= first && (one < first || other > last));
    grown = tied.length > 0;
    for (const [one, other] of tied) [first, last] = [Math.min(first, one), Math.max(last, other)];
  }
  const snipped = items.slice(first, last + 1).filter((item): item is MessageItem => item.kind === "message");
  if (snipped.length === 0) return undefined;
  const [from, to] = [snipped[0]!.from, snipped.at(-1)!.to];
  const text = `[Taken out: ${snipped.length} messages (entries ${from} to ${to}). ${reason}.${recall === "offered" ? " Recall an entry to read it." : ""}]`;
  return { from, to, with: [stub(text)], reason: `snipped: ${reason}` };
}

function snipBlock(
  items: readonly Item[],
  { entry, block: index }: { readonly entry: number; readonly block: number },
  { reason, recall }: SnipReason,
): ReplacePayload | undefined {
  const item = items.find((one): one is MessageItem => one.kind === "message" && one.from <= entry && entry <= one.to);
  const block = item?.blocks[index];
  if (item === undefined || block === undefined) return undefined;
  const text = `[Taken out: ${block.kind} of entry ${entry}. ${reason}.${recall === "offered" ? ` Recall entry ${entry} to read it.` : ""}]`;
  const { role, origin, provenance, from, to } = item;
  const blocks = item.blocks.map((one, at) => (at === index ? replaceBlock(one, text) : one));
  return { from, to, with: [{ role, origin, provenance, blocks }], reason: `snipped: ${reason}` };
}

/** Puts the text in place of a block. A tool result stays the answer to its call. */
function replaceBlock(block: Block, text: string): Block {
  return block.kind === "tool_result" ? { ...block, content: text } : { kind: "text", text };
}

function stub(text: string): Replacement {
  return { role: "user", origin: "host", blocks: [{ kind: "text", text }] };
}
