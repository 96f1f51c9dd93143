import {
  type BilledTokens,
  type Cause,
  type ChangeCause,
  findDrop,
  inputTokensOf,
  LIFETIME_MS,
  nameCauses,
  priceUsd,
  withCacheRead,
} from "palimpsest/inspect";
import { knownModel } from "palimpsest/provider-parts";
import type { WireUsage } from "../../transcripts/readers/wire.ts";
import type { Relation } from "../sessions/thread.ts";
import type { HeadDigests } from "../wire/read-request.ts";

/** A counted request of a thread. */
export interface CountedRequest {
  readonly sentAtMs: number;
  readonly model: string;
  readonly head: HeadDigests;
  readonly billed: BilledTokens;
}

export interface FoundBreak {
  readonly causes: readonly Cause[];
  readonly pauseMs: number;
  readonly rebilledTokens: number;
  readonly usd?: number;
  readonly fromMessage?: number;
}

export function toBilled(usage: WireUsage): BilledTokens {
  const { freshTokens, cacheReadTokens, cacheWriteTokens = 0, cacheWrite1hTokens, outputTokens } = usage;
  const long = cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens };
  return { freshTokens, cacheReadTokens, cacheWriteTokens, ...long, outputTokens };
}

/** Undefined without a known price: none is guessed. */
export function usdOf(model: string, billed: BilledTokens): number | undefined {
  const { prices } = knownModel(model).facts;
  return prices && priceUsd(billed, prices);
}

/** Says why a request read less from the cache than the one before had left there, and what that cost. Undefined: it did not. */
export function findBreak(before: CountedRequest, now: CountedRequest, relation: Relation): FoundBreak | undefined {
  if (findDrop(before.billed, now.billed) === undefined) return undefined;
  const { facts } = knownModel(before.model);
  const lifetimeMs = facts.cacheLifetimeMs ?? LIFETIME_MS[before.billed.cacheWrite1hTokens ? "1h" : "5m"];
  const pauseMs = Math.max(0, now.sentAtMs - before.sentAtMs);
  const leftTokens = before.billed.cacheReadTokens + before.billed.cacheWriteTokens;
  const couldRead = Math.min(leftTokens, inputTokensOf(now.billed));
  const { prices } = knownModel(now.model).facts;
  const usd = prices && priceUsd(now.billed, prices) - priceUsd(withCacheRead(now.billed, couldRead), prices);
  const fromMessage = relation.kind === "branches" ? relation.kept : undefined;
  return {
    causes: nameCauses({ changes: changesBetween(before, now, relation), pauseMs, lifetimeMs }),
    pauseMs,
    rebilledTokens: Math.max(0, couldRead - now.billed.cacheReadTokens),
    usd: usd === undefined ? undefined : Math.max(0, usd),
    fromMessage,
  };
}

/** In the ledger's words. */
const RELATIONS: Readonly<Partial<Record<Relation["kind"], ChangeCause>>> = {
  cleared: "replace",
  branches: "rewind",
  replaced: "boundary",
};

/** The parts of a request before its messages that are different. */
export function changedParts(before: HeadDigests, now: HeadDigests): readonly (keyof HeadDigests)[] {
  return (["tools", "system", "parameters"] as const).filter((part) => before[part] !== now[part]);
}

function changesBetween(before: CountedRequest, now: CountedRequest, relation: Relation) {
  const changes: { cause: ChangeCause; from?: number }[] = [];
  if (before.model !== now.model) changes.push({ cause: "model" });
  changes.push(...changedParts(before.head, now.head).map((cause) => ({ cause })));
  const cause = RELATIONS[relation.kind];
  if (cause !== undefined) changes.push({ cause, from: relation.kind === "branches" ? relation.kept : 0 });
  return changes;
}
