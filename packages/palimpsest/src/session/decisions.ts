import { NoSuchEntryError } from "../errors.ts";
import { readPayload } from "../log/draft.ts";
import type { ReplacePayload } from "../log/payload.ts";
import { withProvenance } from "../log/provenance.ts";
import { toDraft } from "../log/to-draft.ts";
import { recallOf } from "../recall/recall.ts";
import { planSnip, type SnipTarget } from "../stages/plan-snip.ts";
import { loadView, readEntry } from "../state/load.ts";
import type { SessionState } from "../state/state.ts";
import { readEntries } from "../stores/read-entries.ts";
import type { FeatureOptions } from "../tokens/features.ts";
import { firstOverlapping } from "../view/fold.ts";
import { openCalls } from "../view/open-calls.ts";
import { sharedTo } from "../view/shared-to.ts";
import type { View } from "../view/view.ts";
import { changeConfiguration, type NewConfiguration } from "./change-configuration.ts";
import { gatherKnowledge } from "./compact/gather-knowledge.ts";
import { planBoundary } from "./plan-boundary.ts";

export interface DecisionOptions extends FeatureOptions {
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
