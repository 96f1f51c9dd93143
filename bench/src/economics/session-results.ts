import {
  type EnginePolicy,
  headTokensOf,
  needsOf,
  prepareReplay,
  type Recording,
  type ReplayRun,
  type Rule,
  replayRule,
  runPrice,
} from "@palimpsest/replay";
import { clairvoyant, FORESIGHTS } from "./clairvoyant.ts";
import { type Condition, LIFETIME_MS, modelOf, pricesOf } from "./conditions.ts";

/** One session under one policy and one condition. */
export interface SessionResult {
  readonly price: number;
  readonly needs: number;
  readonly met: number;
  readonly refetches: number;
  readonly compactions: number;
  readonly cleared: number;
  readonly readTokens: number;
  readonly inputTokens: number;
  readonly conversationTokens: number;
  readonly requests: number;
}

/** By condition, by policy. */
export type SessionResults = Readonly<Record<string, Readonly<Record<string, SessionResult>>>>;

export interface SessionOptions {
  readonly conditions: readonly Condition[];
  readonly policies: readonly EnginePolicy[];
  /** Replayed with the first price and lifetime of each window only. */
  readonly parts: readonly EnginePolicy[];
  readonly rules: readonly Rule[];
  /** What it would have cost with knowledge of what comes. */
  readonly limit: "searched" | "left-out";
}

/** Replays one session under everything there is. */
export async function sessionResults(recording: Recording, options: SessionOptions): Promise<SessionResults> {
  const { conditions } = options;
  const results: Record<string, Record<string, SessionResult>> = {};
  const enter = (condition: Condition, policy: string, run: ReplayRun): void => {
    results[condition.name] ??= {};
    results[condition.name]![policy] = toResult(run, condition);
  };
  const replay = prepareReplay(recording);
  const firsts = [...Map.groupBy(conditions, ({ windowTokens }) => windowTokens).values()].map(([first]) => first!);
  const wanted = [
    ...options.policies.map((policy) => ({ policy, under: conditions })),
    ...options.parts.map((policy) => ({ policy, under: firsts })),
  ];
  for (const { policy, under } of wanted) {
    for (const [, alike] of Map.groupBy(under, (condition) => decidedBy(policy, condition))) {
      const [first] = alike;
      const run = await replay(policy, { model: modelOf(first!), cacheTtl: first!.cacheTtl });
      for (const condition of alike) enter(condition, policy.name, run);
    }
  }
  const needs = needsOf(recording);
  const headTokens = headTokensOf(recording);
  for (const [windowTokens, alike] of Map.groupBy(conditions, (condition) => condition.windowTokens)) {
    const ttls = [...new Set(alike.map(({ cacheTtl }) => cacheTtl))];
    const runRule = async (rule: Rule): Promise<ReadonlyMap<string, ReplayRun>> => {
      const lifetimesMs = ttls.map((ttl) => LIFETIME_MS[ttl]);
      const runs = await replayRule(recording, needs, rule, { windowTokens, headTokens, lifetimesMs });
      return new Map(ttls.map((ttl, index) => [ttl, runs[index]!]));
    };
    for (const rule of options.rules) {
      const runs = await runRule(rule);
      for (const condition of alike) enter(condition, rule.name, runs.get(condition.cacheTtl)!);
    }
    if (options.limit === "left-out") continue;
    const tried: { readonly ttl: string; readonly run: ReplayRun }[] = [];
    for (const foresight of FORESIGHTS) {
      // Whoever never clears does not ask whether the cache is cold: one pass holds for all lifetimes.
      const isOnePass = foresight.clears === "never";
      for (const ttl of isOnePass ? ttls.slice(0, 1) : ttls) {
        const runs = await runRule(clairvoyant(recording, needs, LIFETIME_MS[ttl], foresight));
        for (const [kept, run] of runs) if (isOnePass || kept === ttl) tried.push({ ttl: kept, run });
      }
    }
    for (const condition of alike) {
      const floor = results[condition.name]!["window167"]!.met;
      const candidates = tried.filter(({ ttl, run }) => ttl === condition.cacheTtl && run.needsMet >= floor);
      const prices = pricesOf(condition.readShare);
      const cheapest = candidates.reduce<ReplayRun | undefined>(
        (best, { run }) => (best === undefined || runPrice(run, prices) < runPrice(best, prices) ? run : best),
        undefined,
      );
      if (cheapest !== undefined) enter(condition, "clairvoyant", cheapest);
    }
  }
  return results;
}

/** Whose decisions are made anew for each price of a read. */
const DECIDED_BY_PRICE = ["default"];

/**
 * Conditions with one answer are those that one run stands for. The defaults are run for each price, since they go by it. Of
 * the others a run is priced by each table: they decide as with the first, and would do no worse if they knew better.
 */
function decidedBy({ name, settings }: EnginePolicy, { windowTokens, readShare, cacheTtl }: Condition): string {
  const ttl = settings["cache.ttl"] === undefined ? cacheTtl : "its own";
  return [windowTokens, ttl, ...(DECIDED_BY_PRICE.includes(name) ? [readShare] : [])].join(" ");
}

function toResult(run: ReplayRun, { readShare }: Condition): SessionResult {
  const sum = (of: (request: ReplayRun["requests"][number]) => number): number =>
    run.requests.reduce((total, request) => total + of(request), 0);
  const inputOf = ({ freshTokens, cacheReadTokens, cacheWriteTokens }: ReplayRun["requests"][number]): number =>
    freshTokens + cacheReadTokens + cacheWriteTokens;
  return {
    price: runPrice(run, pricesOf(readShare)),
    needs: run.needs,
    met: run.needsMet,
    refetches: run.refetches,
    compactions: run.compactions,
    cleared: run.cleared,
    readTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
    inputTokens: sum(inputOf),
    conversationTokens: sum((request) => (request.source === "conversation" ? inputOf(request) : 0)),
    requests: sum(({ source }) => (source === "conversation" ? 1 : 0)),
  };
}
