import { estimateTokens, inputTokensOf, LIFETIME_MS, startCalibration } from "palimpsest/inspect";

import type { RecordedResponse } from "../transcripts/readers/gather-responses.ts";
import type { RecordedCompaction, RecordedUsage } from "../transcripts/readers/recorded.ts";
import type {
  Analysis,
  AnalyzeOptions,
  BreakCause,
  CompactionReport,
  LostTotals,
  RecordedBreak,
  WindowPoint,
} from "./analysis.ts";
import { causesOf, perfectRead, type RecordedChange, type RequestPair, rebilledTokens } from "./find-recorded-break.ts";
import { createItemCosts } from "./item-costs.ts";
import { createPartTotals } from "./part-totals.ts";
import { type Rates, ratesOf, toBilled } from "./price-response.ts";
import { shareCost } from "./share-cost.ts";
import { addSpent, NOTHING_SPENT } from "./spent.ts";
import { createToolCosts } from "./tool-costs.ts";
import { AGENT, FIXED, type NewItem, type Settled, type WindowItem } from "./window.ts";

/** The accounts of a session: the cost of every response, and its causes. */
export interface Accounts {
  /** How many responses there were. */
  readonly points: number;
  /** Adds a response; returns its output, if that was counted to the end. */
  addResponse(
    response: RecordedResponse & { readonly usage: RecordedUsage },
    settled: Settled,
    said: readonly NewItem[],
  ): number | undefined;
  addSubagent(usage: RecordedUsage): void;
  /** The model called a tool. */
  addCall(name: string): void;
  /** Something changed the prompt. */
  note(change: RecordedChange): void;
  compact(compaction: RecordedCompaction): void;
  /** These items are no longer in the window. */
  leave(items: readonly WindowItem[]): void;
  /** @param reads how many files were read */
  close(reads: number): Omit<Analysis, "session" | "damagedLines">;
}

/** Parts of the report that are known at once, and parts that are known only later. */
type OpenReport = Pick<CompactionReport, "atMs" | "point" | "trigger" | "tokensBefore">;

export function createAccounts(options: AnalyzeOptions): Accounts {
  const factsOf = rememberAll(options.factsOf);
  const points: WindowPoint[] = [];
  const breaks: RecordedBreak[] = [];
  const lost = new Map<BreakCause, LostTotals>();
  const reports: OpenReport[] = [];
  const parts = createPartTotals();
  const costs = createItemCosts();
  const tools = createToolCosts();
  const changes = new Set<RecordedChange>();
  let totals = NOTHING_SPENT;
  let subagents = NOTHING_SPENT;
  let before: RequestPair["before"] | undefined;
  let lifetimeMs: number | undefined;

  /** Counts from before the end of a response are useless: its output is estimated. */
  function outputOf(usage: RecordedUsage, said: readonly NewItem[]): number {
    if (usage.outputCount === "final") return usage.outputTokens;
    const estimated = said.reduce((sum, { features }) => sum + estimateTokens(PRIOR, features), 0);
    return Math.max(usage.outputTokens, estimated);
  }

  function lifetimeOf(usage: RecordedUsage, model: string | undefined): number {
    if ((usage.cacheWrite1hTokens ?? 0) > 0) return LIFETIME_MS["1h"];
    if ((usage.cacheWriteTokens ?? 0) > 0) return LIFETIME_MS["5m"];
    const known = model === undefined ? undefined : factsOf(model).cacheLifetimeMs;
    return lifetimeMs ?? known ?? LIFETIME_MS["5m"];
  }

  /** The effect of the cache on a request, compared with the previous one. */
  function compare(pair: RequestPair, fixedTokens: number, rates: Rates | undefined): number {
    const { now } = pair;
    const couldRead = perfectRead(pair, fixedTokens);
    const rebilled = rebilledTokens(pair);
    if (couldRead <= now.cacheReadTokens && rebilled === undefined) return 0;
    const causes = causesOf(pair);
    const dearer = rates === undefined ? undefined : Math.max(0, rates.unread - rates.read);
    const lostUsd = (couldRead - now.cacheReadTokens) * (dearer ?? 0);
    const sum = lost.get(causes[0]!) ?? { breaks: 0, tokens: 0, usd: 0 };
    lost.set(causes[0]!, {
      breaks: sum.breaks + (rebilled === undefined ? 0 : 1),
      tokens: sum.tokens + couldRead - now.cacheReadTokens,
      usd: sum.usd + lostUsd,
    });
    if (rebilled !== undefined) {
      breaks.push({
        point: points.length,
        atMs: now.sentAtMs,
        causes,
        lifetimeMs: pair.lifetimeMs,
        rebilledTokens: rebilled,
        from: now.cacheReadTokens < FRONT_SHARE * fixedTokens ? "front" : "conversation",
        pauseMs: Math.max(0, now.sentAtMs - pair.before.sentAtMs),
        usd: dearer === undefined ? undefined : rebilled * dearer,
      });
    }
    return lostUsd;
  }

  return {
    get points() {
      return points.length;
    },
    addResponse({ usage, sentAtMs, atMs, model }, settled, said) {
      const outputTokens = outputOf(usage, said);
      const billed = toBilled(usage, outputTokens);
      const rates = ratesOf(billed, model === undefined ? undefined : factsOf(model).prices, usage.costUsd);
      const now = { ...billed, sentAtMs, model, inputTokens: inputTokensOf(billed) };
      const kept = lifetimeMs ?? lifetimeOf(usage, model);
      const pair = before && {
        before,
        now,
        changes,
        promptChanges: usage.promptChanges ?? [],
        lifetimeMs: kept,
        newBlocks: countBlocks(settled.addedItems),
      };
      const lostUsd = pair === undefined ? 0 : compare(pair, settled.fixedTokens, rates);
      const inputUsd =
        rates && now.cacheReadTokens * rates.read + (now.inputTokens - now.cacheReadTokens) * rates.unread;
      const usd = rates === undefined ? undefined : inputUsd! + outputTokens * rates.output;

      const shared = rates && shareCost(settled, now.cacheReadTokens, rates);
      parts.addInput(settled, shared?.parts);
      if (usage.head !== undefined) tools.addHead(usage.head, settled.fixedTokens, shared?.parts.get(FIXED) ?? 0);
      parts.addOutput(said, {
        outputTokens,
        reasoningTokens: usage.reasoningTokens,
        rate: rates?.output ?? 0,
      });
      costs.enter(settled.addedItems, { newRate: shared?.newRate ?? 0, carriedRate: shared?.carriedRate ?? 0 });
      totals = addSpent(totals, {
        billed,
        usd,
        perfectUsd: usd === undefined ? undefined : usd - lostUsd,
        isEstimated: usage.outputCount !== "final",
      });
      points.push({
        atMs,
        sentAtMs,
        freshTokens: now.freshTokens,
        cacheReadTokens: now.cacheReadTokens,
        cacheWriteTokens: now.cacheWriteTokens,
        outputTokens,
        model,
        windowTokens: usage.windowTokens,
        usd,
        parts: toRounded(settled.parts),
      });
      lifetimeMs = lifetimeOf(usage, model);
      before = now;
      changes.clear();
      return usage.outputCount === "final" ? outputTokens : undefined;
    },
    addSubagent(usage) {
      const billed = toBilled(usage, usage.outputTokens);
      const { prices } = usage.model === undefined ? {} : factsOf(usage.model);
      const rates = ratesOf(billed, prices, usage.costUsd);
      const unread = billed.freshTokens + billed.cacheWriteTokens;
      const usd =
        rates && billed.cacheReadTokens * rates.read + unread * rates.unread + billed.outputTokens * rates.output;
      subagents = addSpent(subagents, { billed, usd, perfectUsd: usd, isEstimated: usage.outputCount !== "final" });
    },
    addCall: tools.addCall,
    note: (change) => void changes.add(change),
    compact({ atMs, trigger, tokensBefore }) {
      changes.add("compaction");
      const last = points.at(-1);
      const counted = last && last.freshTokens + last.cacheReadTokens + last.cacheWriteTokens + last.outputTokens;
      reports.push({ atMs, trigger, point: points.length, tokensBefore: counted ?? tokensBefore ?? 0 });
    },
    leave: (items) => costs.leave(items, points.length),
    close(reads) {
      const { duplicates, readAgain, expensive } = costs.close();
      return {
        startedAtMs: points[0]?.sentAtMs ?? 0,
        endedAtMs: points.at(-1)?.atMs ?? 0,
        totals,
        subagents,
        points,
        parts: parts.list(),
        tools: tools.list(),
        breaks,
        lost: Object.fromEntries(lost),
        expensiveResults: expensive,
        duplicateReads: { reads, ...duplicates },
        compactions: reports.map((report, index): CompactionReport => {
          const next = points[report.point];
          const after = next && next.freshTokens + next.cacheReadTokens + next.cacheWriteTokens;
          return { ...report, tokensAfter: after, readAgain: readAgain(index) };
        }),
      };
    },
  };
}

/** A session has few models, and asks for each with every response. */
function rememberAll<Value>(find: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const value = known.get(key) ?? find(key);
    known.set(key, value);
    return value;
  };
}

/** If fewer tokens than this were read, the prompt was different from its beginning. */
const FRONT_SHARE = 0.5;

const PRIOR = startCalibration();

/** Thinking and what the agent attaches by itself do not count in the provider's look-back (measured on recorded sessions). */
function countBlocks(items: readonly WindowItem[]): number {
  return items.filter(({ part }) => part !== "thinking" && part !== AGENT).length;
}

function toRounded(parts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...parts].map(([name, tokens]) => [name, Math.round(tokens)]));
}
