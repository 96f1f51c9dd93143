import { ledgerAtBoundary } from "../cost/fold.ts";
import type { Ledger } from "../cost/ledger.ts";
import { toDraft } from "../log/draft.ts";
import { headInPlace } from "../log/messages.ts";
import type { BoundaryPayload, ReplacePayload } from "../log/payload.ts";
import type { CompactionFailure, CompactionRecord, CompactionRung } from "../log/payload-compaction.ts";
import { SUMMARY } from "../log/provenance.ts";
import { type BreakerState, type CarriedState, CLOSED } from "../state/carried.ts";
import type { SessionState, Snapshot } from "../state/state.ts";
import { foldEntry } from "../view/fold.ts";
import { outline, type View } from "../view/view.ts";
import type { CompactedView } from "./compose.ts";
import type { LadderResult } from "./ladder.ts";
import { ALL_CALLS, type Spent } from "./model-calls.ts";
import type { CompactionOutcome } from "./outcome.ts";
import { addKnowledge, type CompactionPlan } from "./plan.ts";
import { asSearch } from "./rehydrate.ts";

interface BoundaryContext {
  readonly view: View;
  readonly ledger: Ledger;
  /** As it is to be carried on: with what was gathered from the log. */
  readonly carriedState: CarriedState;
  /** The number that the boundary will have. */
  readonly sequence: number;
}

/** A `replace` as a boundary: with the outline of the view that it leaves, and the state that must outlive it. */
export function planBoundary(
  replace: ReplacePayload,
  { view, ledger, carriedState, sequence }: BoundaryContext,
): BoundaryPayload {
  const after: View = { ...view, items: [...view.items] };
  foldEntry(after, { kind: "replace", sequence, payload: replace });
  return {
    ...replace,
    outline: outline(after),
    state: {
      configuration: view.configuration?.entry ?? 0,
      calibration: view.calibration,
      ledger: ledgerAtBoundary(ledger, sequence, replace),
      standing: carriedState,
    },
  };
}

/** A view that is ready to be installed, and how it came about. */
export interface ReadyView {
  readonly view: CompactedView;
  readonly rung: CompactionRung;
  readonly declined: LadderResult["declined"];
  readonly breaker: BreakerState;
  readonly spent: Spent;
  readonly instructions?: string;
  /** Why no model's summary was to be had, if it is without one. */
  readonly withoutSummary?: CompactionFailure;
}

/** Who or what has made it, and why. */
export type CompactionOrigin = Pick<CompactionRecord, "trigger" | "reason" | "overrides">;

/** Writes it in one batch: before, nothing has changed; behind it, all has. */
export async function installBoundary(
  plan: CompactionPlan,
  ready: ReadyView,
  { state, origin }: { readonly state: SessionState; readonly origin: CompactionOrigin },
): Promise<CompactionOutcome> {
  const { snapshot, range, variant, head } = plan;
  if (isOvertaken(snapshot, state)) {
    return { kind: "nothing", cause: "overtaken", why: "the conversation changed while the summary was written" };
  }
  const { view, rung, declined, breaker, spent } = ready;
  const { blocks, block, tools, attachments, parts, putBack, tokensAfter } = view;
  const record: CompactionRecord = {
    ...origin,
    variant,
    rung,
    declined,
    messages: range.folded.length,
    parts,
    putBack,
    tokensBefore: snapshot.sizeTokens,
    tokensAfter,
    modelCalls: spent.calls,
    ...(spent.calls === 0 ? {} : { priceUsd: spent.priceUsd }),
    instructions: ready.instructions,
  };
  const shedTokens = Math.max(0, snapshot.sizeTokens - tokensAfter);
  const decision = {
    from: range.from,
    to: range.to,
    with: [
      // In its place the provider finds a message of its own; to any other it is text, or nothing.
      ...(block === undefined
        ? []
        : [{ role: "assistant", origin: "summary", provenance: SUMMARY, blocks: [block] } as const]),
      // As it began: where it is the same as before, the prompt is, too, up to here. Before a block nothing is read.
      ...(head === undefined ? [] : [headInPlace(head)]),
      { role: "user", origin: "summary", provenance: SUMMARY, blocks } as const,
      ...asSearch(tools, state.newestEntry + 1),
    ],
    reason: `compacted (${origin.trigger}, ${rung})`,
    cost: { shedTokens, invalidatedPrefixTokens: Math.max(0, tokensAfter - tokensBefore(plan)) },
  };
  // What was appended meanwhile lies before the boundary, where the next compaction begins to read.
  const meanwhile = [{ from: snapshot.newestEntry + 1, to: state.newestEntry }];
  const knowledge = await addKnowledge(state.log, meanwhile, plan.knowledge);
  const { view: shown, ledger, newestEntry } = state;
  const carriedState: CarriedState = {
    ...state.carriedState,
    ...knowledge,
    breaker,
    // A model that has written a summary can write the next.
    economicBreaker: rung === "digest" || rung === "notes" ? state.carriedState.economicBreaker : CLOSED,
    calls: callsOfTurn(snapshot, spent, state.carriedState),
  };
  const boundary = planBoundary(decision, { view: shown, ledger, carriedState, sequence: newestEntry + 1 });
  const [number] = await state.append([
    toDraft("boundary", { ...boundary, compaction: record }),
    ...attachments.map((one) => toDraft("attachment", one)),
  ]);
  return { kind: "compacted", boundary: number!, ...record };
}

/** Since the user last said something. Calls that failed have left no usage in the log, and count all the same. */
export function callsOfTurn(
  { carriedState: before }: Snapshot,
  { calls, time }: Spent,
  carriedState: CarriedState,
): number {
  // A model that writes for ever would take as long again before the next request of this turn.
  if (time === "used-up" && carriedState.userMessages === before.userMessages) return ALL_CALLS;
  return carriedState.userMessages === before.userMessages ? before.calls + calls : carriedState.calls;
}

/** Something of what was summarized is shown in another way by now, or is not shown at all. */
function isOvertaken({ view, changedAt }: Snapshot, state: SessionState): boolean {
  return state.view !== view || state.view.changedAt !== changedAt;
}

/** What stands before all that is folded, and stays in the cache. */
function tokensBefore({ fixed, range, snapshot }: CompactionPlan): number {
  const before = range.kept.filter(({ to }) => to < range.from);
  return before.reduce((sum, item) => sum + snapshot.tokensOf(item), fixed["system and tools"]);
}
