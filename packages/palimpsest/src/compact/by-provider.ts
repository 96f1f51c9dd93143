// A compaction that the provider made on its own, in the middle of an answer: the session compacts the same messages.

import { priceUsd } from "../cost/ledger.ts";
import { type Draft, toDraft } from "../log/entry.ts";
import { attachment, type HeadContent, headAttachment } from "../log/messages.ts";
import type { UsagePayload } from "../log/payload.ts";
import type { CompactionRecord, SummaryRecord } from "../log/payload-compaction.ts";
import { SUMMARY } from "../log/provenance.ts";
import type { RuleFailure } from "../policy/guard.ts";
import type { Policy } from "../policy/policy.ts";
import type { WindowState } from "../policy/window-state.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { ProviderCompaction, ResponseContent } from "../providers/provider.ts";
import type { CompactionEnded, CompactionStarted } from "../session-event.ts";
import type { Budget } from "../size/budget.ts";
import { COMPACTION_SOURCE } from "../state/carried.ts";
import { wholeTokens } from "../state/responses.ts";
import { type SessionState, type Snapshot, takeSnapshot } from "../state/state.ts";
import type { MessageItem } from "../view/view.ts";
import { becauseOf } from "./explain.ts";
import { planBoundary } from "./install.ts";
import { composeRecord } from "./parts/compose.ts";
import { planForRange, planNumbers, type RangeToCompact } from "./plan.ts";

/** Nobody asked for a form: the provider decided. */
const BY_PROVIDER: SummaryRecord = { way: "provider", form: "native", met: true };

interface ProviderCompactionOptions {
  readonly session: string;
  readonly state: SessionState;
  readonly compaction: ProviderCompaction;
  readonly response: Pick<ResponseContent, "responseId" | "model">;
  /** The request that was answered. */
  readonly request: number | undefined;
  readonly policy: Policy;
  /** The window before the compaction. */
  readonly window: WindowState;
  readonly budget: Budget;
  readonly facts: ModelFacts;
  readonly todos: string | undefined;
  readonly head: HeadContent | undefined;
}

/** What is to be written around a response, in one batch with it. */
interface PlannedProviderCompaction {
  readonly before: readonly Draft[];
  readonly behind: readonly Draft[];
  /** Whether the response's own usage is of what the conversation has become. */
  readonly folded: NonNullable<UsagePayload["folded"]>;
  readonly newEvents: readonly (CompactionStarted | CompactionEnded)[];
  /** Functions of parts that failed. */
  readonly failures: readonly RuleFailure[];
}

/**
 * The provider has folded the conversation in the middle of an answer. The same is folded here, by a boundary that puts its
 * block in the place of all that was sent; the answer stays right behind it, where its thinking is bound. The head and what is
 * told from the record come behind the answer for that reason. Undefined if the conversation was changed since it was sent: then the
 * block stands for what is not there any more.
 */
export async function planProviderCompaction(
  options: ProviderCompactionOptions,
): Promise<PlannedProviderCompaction | undefined> {
  const { session, state, compaction, response, request, policy, window, budget, facts, todos, head } = options;
  if (request === undefined || state.view.awaited?.request !== request) return undefined;
  const { block, usage } = compaction;
  const snapshot = takeSnapshot(state, budget);
  const range = rangeOf(
    snapshot.items.filter((item) => item.kind === "message"),
    request,
  );
  if (range === undefined) return undefined;
  const planning = {
    log: state.log,
    trigger: "manual",
    moment: "before-request",
    attendance: "attended",
    todos,
    head,
    ...planNumbers(policy, window),
    summaryTokens: 0,
    state: window,
  } as const;
  const plan = await planForRange(snapshot, range, "full", planning);
  const { text, blocks, parts, tokensAfter, failures } = await composeRecord(block, plan);
  const price = usage === undefined || facts.prices === undefined ? {} : { priceUsd: priceUsd(usage, facts.prices) };
  const { sizeTokens: tokensBefore, carriedState, newestEntry } = snapshot;
  const record: CompactionRecord = {
    trigger: "auto",
    reason: "window",
    variant: "full",
    summary: BY_PROVIDER,
    attempts: [],
    messages: range.folded.length,
    parts,
    tokensBefore,
    tokensAfter,
    modelCalls: 0,
    ...price,
  };
  const decision = {
    from: range.from,
    to: request,
    reason: "compacted (by the provider, in the middle of an answer)",
    with: [{ role: "assistant", origin: "summary", provenance: SUMMARY, blocks: [block] } as const],
    cost: { shedTokens: Math.max(0, tokensBefore - tokensAfter), invalidatedPrefixTokens: 0 },
  };
  const { view, ledger } = state;
  const of = newestEntry + 1;
  const carried = { view, ledger, carriedState: { ...carriedState, ...plan.knowledge }, sequence: of };
  const boundary = { ...planBoundary(decision, carried), answers: request, compaction: record };
  const priced = facts.prices === undefined ? {} : { prices: facts.prices };
  const own = usage && { ...response, ...wholeTokens(usage), source: COMPACTION_SOURCE, ...priced };
  return {
    before: [toDraft("boundary", boundary)],
    behind: [
      ...(own === undefined ? [] : [toDraft("usage", own)]),
      ...(plan.head === undefined ? [] : [toDraft("attachment", { ...headAttachment(plan.head), of })]),
      toDraft("attachment", { ...attachment("record", blocks, SUMMARY), of }),
    ],
    folded: usage === undefined ? "within" : "before",
    newEvents: eventsOf(`${session}:${newestEntry}`, snapshot, { tokensAfter, text }),
    failures,
  };
}

function eventsOf(
  compaction: string,
  { sizeTokens: tokensBefore, carriedState: { chain } }: Snapshot,
  { tokensAfter, text }: { readonly tokensAfter: number; readonly text: string },
): readonly (CompactionStarted | CompactionEnded)[] {
  return [
    {
      kind: "compaction-started",
      compaction,
      trigger: "auto",
      reason: "window",
      because: becauseOf({ trigger: "auto" }),
      tokensBefore,
      earlierCompactions: chain.boundaries,
      ...(chain.boundaries === 0 ? {} : { turnsSincePrevious: chain.turns }),
    },
    {
      kind: "compaction-ended",
      compaction,
      reason: "window",
      outcome: { kind: "compacted", summary: BY_PROVIDER, tokensBefore, tokensAfter, text },
    },
  ];
}

function rangeOf(messages: readonly MessageItem[], request: number): RangeToCompact | undefined {
  const folded = messages.filter(({ to }) => to < request);
  const [first] = folded;
  if (first === undefined) return undefined;
  const kept = messages.filter(({ to }) => to > request);
  return { kind: "fold", from: first.from, to: request, folded, kept, pending: [] };
}
