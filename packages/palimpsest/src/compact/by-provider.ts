import { priceUsd } from "../cost/prices.ts";
import { toDraft } from "../log/draft.ts";
import type { Draft } from "../log/entry.ts";
import { attachment, type HeadContent, headAttachment } from "../log/messages.ts";
import type { UsagePayload } from "../log/payload.ts";
import type { CompactionRecord } from "../log/payload-compaction.ts";
import { SUMMARY } from "../log/provenance.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { ProviderCompaction, ResponseContent } from "../providers/provider.ts";
import type { CompactionEnded, CompactionStarted } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { Budget } from "../size/budget.ts";
import { COMPACTION_SOURCE } from "../state/carried.ts";
import { wholeTokens } from "../state/responses.ts";
import { type SessionState, takeSnapshot } from "../state/state.ts";
import type { MessageItem } from "../view/view.ts";
import { composeRecord } from "./compose.ts";
import { planBoundary } from "./install.ts";
import { planForRange, type RangeToCompact } from "./plan.ts";

interface ProviderCompactionOptions {
  readonly session: string;
  readonly state: SessionState;
  readonly compaction: ProviderCompaction;
  readonly response: Pick<ResponseContent, "responseId" | "model">;
  /** The request that was answered. */
  readonly request: number | undefined;
  readonly settings: Settings;
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
  const { session, state, compaction, response, request, settings, budget, facts, todos, head } = options;
  if (request === undefined || state.view.awaited?.request !== request) return undefined;
  const { block, usage } = compaction;
  const snapshot = takeSnapshot(state, budget);
  const range = rangeOf(
    snapshot.items.filter((item) => item.kind === "message"),
    request,
  );
  if (range === undefined) return undefined;
  const planning = { log: state.log, settings, trigger: "manual", attendance: "attended", todos, head } as const;
  const plan = await planForRange(snapshot, range, "full", planning);
  const { text, blocks, parts, tokensAfter } = composeRecord(block, plan);
  const price = usage === undefined || facts.prices === undefined ? {} : { priceUsd: priceUsd(usage, facts.prices) };
  const { sizeTokens: tokensBefore, carriedState, newestEntry } = snapshot;
  const record: CompactionRecord = {
    trigger: "auto",
    reason: "window",
    variant: "full",
    rung: "provider",
    declined: [],
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
  const name = `${session}:${newestEntry}`;
  const { boundaries, turns } = carriedState.chain;
  return {
    before: [toDraft("boundary", boundary)],
    behind: [
      ...(own === undefined ? [] : [toDraft("usage", own)]),
      ...(plan.head === undefined ? [] : [toDraft("attachment", { ...headAttachment(plan.head), of })]),
      toDraft("attachment", { ...attachment("record", blocks, SUMMARY), of }),
    ],
    folded: usage === undefined ? "within" : "before",
    newEvents: [
      {
        kind: "compaction-started",
        compaction: name,
        trigger: "auto",
        reason: "window",
        tokensBefore,
        earlierCompactions: boundaries,
        ...(boundaries === 0 ? {} : { turnsSincePrevious: turns }),
      },
      {
        kind: "compaction-ended",
        compaction: name,
        reason: "window",
        outcome: { kind: "compacted", rung: "provider", tokensBefore, tokensAfter, summary: text },
      },
    ],
  };
}

function rangeOf(messages: readonly MessageItem[], request: number): RangeToCompact | undefined {
  const folded = messages.filter(({ to }) => to < request);
  const [first] = folded;
  if (first === undefined) return undefined;
  const kept = messages.filter(({ to }) => to > request);
  return { kind: "fold", from: first.from, to: request, folded, kept, pending: [] };
}
