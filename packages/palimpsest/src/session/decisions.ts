import { planBoundary } from "../compact/install.ts";
import { gatherKnowledge } from "../compact/plan.ts";
import { NoSuchEntryError } from "../errors.ts";
import type { Block } from "../log/block.ts";
import { readPayload, toDraft } from "../log/draft.ts";
import type { Replacement, ReplacePayload } from "../log/payload.ts";
import { withProvenance } from "../log/provenance.ts";

import { recallOf } from "../recall/recall.ts";
import type { FeatureOptions } from "../size/features.ts";
import { loadView, readEntry } from "../state/load.ts";
import type { SessionState } from "../state/state.ts";
import { readEntries } from "../stores/read.ts";
import { firstOverlapping } from "../view/fold.ts";
import { tiesOf } from "../view/kept-together.ts";
import { openCalls } from "../view/turn.ts";
import { type Item, type MessageItem, sharedTo, type View } from "../view/view.ts";
import { changeConfiguration, type NewConfiguration } from "./configure.ts";

/** A range of messages, or one block of one message. */
export type SnipTarget =
  | { readonly from: number; readonly to: number }
  | { readonly entry: number /** Counted from 0. */; readonly block: number };

export interface SnipReason {
  readonly reason: string;
  /** Whether the model can recall what is taken out. */
  readonly recall: "offered" | "missing";
}

/** Removes a range from the view: a wrong turn, a bad image, a huge paste. Undefined if no part of it is shown. */
export function planSnip(items: readonly Item[], target: SnipTarget, why: SnipReason): ReplacePayload | undefined {
  return "block" in target ? snipBlock(items, target, why) : snipRange(items, target, why);
}

/** Pairs stay together: no call is left without its result, no result without its call. */
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
  const known = provenance === undefined ? {} : { provenance };
  const blocks = item.blocks.map((one, at) => (at === index ? inPlaceOf(one, text) : one));
  return { from, to, with: [{ role, origin, ...known, blocks }], reason: `snipped: ${reason}` };
}

/** A result remains the answer to its call. */
function inPlaceOf(block: Block, text: string): Block {
  return block.kind === "tool_result" ? { ...block, content: text } : { kind: "text", text };
}

function stub(text: string): Replacement {
  return { role: "user", origin: "host", blocks: [{ kind: "text", text }] };
}

interface DecisionOptions extends FeatureOptions {
  readonly state: SessionState;
  readonly provider: string;
}

/** What changes the view of entries that are there already. */
export interface Decisions {
  replace(payload: ReplacePayload): Promise<number>;
  fold(payload: ReplacePayload): Promise<number>;
  restore(decision: number, reason: string): Promise<void>;
  rewind(to: number, reason: string): Promise<void>;
  snip(target: SnipTarget, reason: string): Promise<number>;
}

export function createDecisions({ state, provider, ...options }: DecisionOptions): Decisions {
  /** A decision about a range that is not shown would have no effect. */
  function checkShown({ from, to }: ReplacePayload): void {
    const { items } = state.view;
    let index = firstOverlapping(items, { from });
    while (items[index]?.kind === "seal") index++;
    const isShown = (items[index]?.from ?? Number.POSITIVE_INFINITY) <= to;
    if (!(from <= to && to <= state.newestEntry && isShown)) {
      throw new NoSuchEntryError(from, `to ${to}: nothing of this range is shown to the model`);
    }
  }

  return {
    async replace(payload) {
      checkShown(payload);
      const [decision] = await state.append([
        toDraft("replace", { ...payload, with: payload.with.map(withProvenance) }),
      ]);
      return decision!;
    },

    async fold(payload) {
      checkShown(payload);
      const { log, view, ledger, newestEntry } = state;
      const carriedState = { ...state.carriedState, ...(await gatherKnowledge(log, newestEntry, state.carriedState)) };
      const decided = { ...payload, with: payload.with.map(withProvenance) };
      const boundary = planBoundary(decided, { view, ledger, carriedState, sequence: newestEntry + 1 });
      const [decision] = await state.append([toDraft("boundary", boundary)]);
      return decision!;
    },

    async snip(target, reason) {
      const plan = planSnip(state.view.items, target, { reason, recall: recallOf(state.configuration.tools) });
      const entry = "block" in target ? target.entry : target.from;
      if (plan === undefined) throw new NoSuchEntryError(entry, "is not shown to the model, or has no such block");
      const [decision] = await state.append([toDraft("replace", plan)]);
      return decision!;
    },

    async restore(decision, reason) {
      const { items, hidden } = state.view;
      const isInEffect = [...items, ...hidden].some((shown) => "by" in shown && shown.by === decision);
      const read = await readEntry(state.log, decision);
      if (!isInEffect || (read?.kind !== "replace" && read?.kind !== "boundary")) {
        throw new NoSuchEntryError(decision, "is no decision that is in effect now, so it cannot be taken back");
      }
      const { from, to } = read.payload;
      await state.append([toDraft("restore", { of: decision, from, to, reason, was: read.kind })]);
      await state.reload();
    },

    async rewind(to, reason) {
      const { newestEntry, sharedTo: first } = state;
      if (!(Number.isInteger(to) && to >= first && to < newestEntry)) {
        const begins = first === 0 ? "" : `, and what lies before ${first} is not this fork's`;
        throw new NoSuchEntryError(to, `cannot be gone back to: the newest entry is ${newestEntry}${begins}`);
      }
      const { view: target } = await loadView(state.log, to, options);
      const shared = { reason, ledger: state.ledger, sharedTo: sharedTo(state.view, target) };
      const again = await requestAtEnd(target);
      const begun = await begunSince(target, to);
      const payload = changeConfiguration(target.configuration, wantedAt(target));
      // In one batch: a session without a configuration could not go on.
      await state.append([
        toDraft("rewind", { ...shared, ...again, ...(begun.length === 0 ? {} : { begun }) }, to),
        ...(payload === undefined ? [] : [toDraft("configuration", payload)]),
      ]);
      await state.reload();
    },
  };

  /** What is sent beside the messages is what it was then, unless there was nothing yet, another provider or another agent. */
  function wantedAt({ configuration: then }: View): NewConfiguration {
    const now = state.configuration;
    const isAnothers = then?.provenance !== undefined && now.provenance === undefined;
    if (then?.provider === provider && !isAnothers) {
      return { provider, model: then.model, provenance: then.provenance };
    }
    const { model, system, tools, parameters, provenance } = now;
    return { provider, model, system, tools, parameters, provenance };
  }

  /** Calls that are open at an entry and had begun behind it: to go back does not undo their effects. */
  async function begunSince(target: View, to: number): Promise<readonly string[]> {
    const open = new Set(openCalls(target).map(({ call }) => call.id));
    const begun: string[] = [];
    if (open.size === 0) return begun;
    for await (const entry of readEntries(state.log, to + 1, state.newestEntry)) {
      const read = readPayload(entry);
      if (read.kind === "call" && read.payload.step === "begun" && open.has(read.payload.call))
        begun.push(read.payload.call);
    }
    return begun;
  }

  /** The request at the end of a view, which would be issued again. */
  async function requestAtEnd({ items, awaited }: View) {
    const last = items.at(-1);
    if (last?.kind !== "seal" || awaited?.request !== last.from) return {};
    const read = await readEntry(state.log, last.from);
    const cache = read?.kind === "request" && read.payload.cache !== undefined ? { cache: read.payload.cache } : {};
    return { request: { entry: last.from, ...cache } };
  }
}
