// Installs a compaction: the boundary and its attachments in one batch.

import { ledgerAtBoundary } from "../cost/fold.ts";
import type { Ledger } from "../cost/ledger.ts";
import { toDraft } from "../log/entry.ts";
import { headInPlace } from "../log/messages.ts";
import type { BoundaryPayload, ReplacePayload } from "../log/payload.ts";
import type { CompactionRecord, SummaryAttempt, SummaryRecord } from "../log/payload-compaction.ts";
import { SUMMARY } from "../log/provenance.ts";
import { type BreakerState, type CarriedState, CLOSED } from "../state/carried.ts";
import { policyDrafts, type SessionPolicy } from "../state/policy.ts";
import type { SessionState, Snapshot } from "../state/state.ts";
import { foldEntry } from "../view/fold.ts";
import { outline, type View } from "../view/view.ts";
import type { CompactionOutcome } from "./outcome.ts";
import { asSearch, type CompactedView } from "./parts/compose.ts";
import { addKnowledge } from "./parts/knowledge.ts";
import type { CompactionPlan } from "./plan.ts";
import { ALL_CALLS, type Spent } from "./summary/model-calls.ts";
import type { SummaryProblem } from "./summary/write-summary.ts";

interface BoundaryContext {
  readonly view: View;
  readonly ledger: Ledger;
  /** As it is to be carried on: with what was gathered from the log. */
  readonly carriedState: CarriedState;
  /** The number that the boundary will have. */
  readonly sequence: number;
}

/** Plans a boundary: a `replace` with the outline of the view that it leaves, and with the carried state. */
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
  readonly summary: SummaryRecord;
  readonly attempts: readonly SummaryAttempt[];
  readonly breaker: BreakerState;
  readonly spent: Spent;
  readonly instructions?: string;
  /** The prepared summary that is installed. @default the summary was written for this compaction */
  readonly prepared?: CompactionRecord["prepared"];
  /** Why there is no summary, or why its form does not accept it; undefined if all is well. */
  readonly problem: SummaryProblem | undefined;
}

/** Who or what asked for the compaction, and why. */
export type CompactionOrigin = Pick<CompactionRecord, "trigger" | "reason" | "overrides" | "decided">;

interface InstallContext {
  readonly state: SessionState;
  readonly policy: Pick<SessionPolicy, "count" | "current">;
  readonly origin: CompactionOrigin;
}

/**
 * Writes the boundary and its attachments in one batch, unless the view has changed since the plan was made. The policy that decided
 * comes first, if the log does not have it.
 */
export async function installBoundary(
  plan: CompactionPlan,
  ready: ReadyView,
  { state, policy, origin }: InstallContext,
): Promise<CompactionOutcome> {
  const { snapshot, range, variant, head } = plan;
  if (isOvertaken(snapshot, state)) {
    return { kind: "nothing", cause: "overtaken", why: "the conversation changed while the summary was written" };
  }
  const policyEntry = policyDrafts(policy.current, state.carriedState.policy);
  if (policyEntry.length > 0) await state.append(policyEntry);
  const { view, summary, attempts, breaker, spent } = ready;
  const { blocks, block, tools, attachments, parts, tokensAfter } = view;
  const record: CompactionRecord = {
    ...origin,
    variant,
    summary,
    attempts,
    messages: range.folded.length,
    parts,
    tokensBefore: snapshot.sizeTokens,
    tokensAfter,
    modelCalls: spent.calls,
    ...(spent.calls === 0 ? {} : { priceUsd: spent.priceUsd }),
    instructions: ready.instructions,
    prepared: ready.prepared,
  };
  const shedTokens = Math.max(0, snapshot.sizeTokens - tokensAfter);
  const sequence = state.newestEntry + 1;
  const decision = {
    from: range.from,
    to: range.to,
    with: [
      // The provider that wrote the block finds it as a message of its own. To other providers it is text, or nothing.
      ...(block === undefined
        ? []
        : [{ role: "assistant", origin: "summary", provenance: SUMMARY, blocks: [block] } as const]),
      // The head stands first again. If the head has not changed, the prompt is the same up to here.
      ...(head === undefined ? [] : [headInPlace(head)]),
      { role: "user", origin: "summary", provenance: SUMMARY, blocks } as const,
      ...asSearch(tools, sequence),
    ],
    reason: `compacted (${origin.trigger}, ${summary.way})`,
    cost: { shedTokens, invalidatedPrefixTokens: Math.max(0, tokensAfter - tokensBefore(plan)) },
  };
  // What was appended meanwhile lies before the boundary, where the next compaction begins to read.
  const meanwhile = [{ from: snapshot.newestEntry + 1, to: state.newestEntry }];
  const { keep, knowledge: before } = plan;
  const counting = { keep, countTokens: snapshot.countTokens };
  const { knowledge, failures } = await addKnowledge(state.log, meanwhile, before, counting);
  policy.count([], failures);
  const { view: shown, ledger } = state;
  const carriedState: CarriedState = {
    ...state.carriedState,
    ...knowledge,
    breaker,
    // A model that has written a summary can write the next.
    economicBreaker: summary.way === "none" || summary.way === "notes" ? state.carriedState.economicBreaker : CLOSED,
    calls: callsOfTurn(snapshot, spent, state.carriedState),
  };
  const boundary = planBoundary(decision, { view: shown, ledger, carriedState, sequence });
  const [number] = await state.append([
    toDraft("boundary", { ...boundary, compaction: record }),
    // Undoing the boundary removes them, too.
    ...attachments.map((one) => toDraft("attachment", { ...one, of: sequence })),
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

/** Whether the view has changed since the plan was made. */
function isOvertaken({ view, changedAt }: Snapshot, state: SessionState): boolean {
  return state.view !== view || state.view.changedAt !== changedAt;
}

/** The tokens before the compacted range, which stay in the cache. */
function tokensBefore({ fixed, range, snapshot }: CompactionPlan): number {
  const before = range.kept.filter(({ to }) => to < range.from);
  return before.reduce((sum, item) => sum + snapshot.tokensOf(item), fixed["system and tools"]);
}
