import { ANTHROPIC_MODELS, inputTokensOf, priceUsd, type Usage } from "@palimpsest/provider-simulator";
import type { Api } from "./contestant.ts";
import { MODELS, type TimedExchange } from "./serve-course.ts";

/** C: the bill. All contestants are charged by the prices of one model, whichever service they call. */
export interface CostFigures {
  readonly requests: number;
  readonly usd: number;
  /** By turn that was done. */
  readonly usd_per_turn: number | null;
  /** The same requests, if each had read from the cache all that it shares with an earlier one. */
  readonly perfect_cache_usd: number;
  readonly ratio_to_perfect_cache: number;
  readonly cache_read_pct: number;
  /** Of the bill, for requests that are no part of the conversation. */
  readonly input_tokens: number;
}

const PRICES = ANTHROPIC_MODELS.find(({ id }) => id === MODELS["anthropic-messages"])!.prices;
/** Earlier requests that one may begin like: the conversation's newest, and those of work beside it. */
const COMPARED = 4;

export function measureCost(exchanges: readonly TimedExchange[], api: Api, turnsDone: number): CostFigures {
  let [usd, perfectUsd, inputTokens, readTokens, requests] = [0, 0, 0, 0, 0];
  const earlier: string[] = [];
  for (const { exchange } of exchanges) {
    const { outcome } = exchange;
    if (outcome.kind !== "answered") continue;
    const { usage } = outcome;
    const prompt = promptText(exchange.body);
    const shared = Math.max(0, ...earlier.map((other) => commonLength(other, prompt)));
    earlier.push(prompt);
    if (earlier.length > COMPARED) earlier.shift();
    const tokens = inputTokensOf(usage);
    requests++;
    usd += priceUsd(usage, PRICES);
    perfectUsd += priceUsd(perfectUsage(usage, shared / prompt.length, api), PRICES);
    inputTokens += tokens;
    readTokens += usage.cacheReadTokens;
  }
  return {
    requests,
    usd: cents(usd),
    usd_per_turn: turnsDone === 0 ? null : cents(usd / turnsDone),
    perfect_cache_usd: cents(perfectUsd),
    ratio_to_perfect_cache: Math.round((100 * usd) / perfectUsd) / 100,
    cache_read_pct: Math.round((1_000 * readTokens) / inputTokens) / 10,
    input_tokens: inputTokens,
  };
}

/** What is new has to be written where writing costs more than reading anew. */
function perfectUsage(usage: Usage, sharedShare: number, api: Api): Usage {
  const tokens = inputTokensOf(usage);
  const cacheReadTokens = Math.round(tokens * sharedShare);
  const rest = tokens - cacheReadTokens;
  const isWritten = api === "anthropic-messages";
  return {
    ...usage,
    cacheReadTokens,
    freshTokens: isWritten ? 0 : rest,
    cacheWriteTokens: isWritten ? rest : 0,
    longCacheWriteTokens: 0,
  };
}

/** What a service caches by, in its order, without marks, which move with the end. */
function promptText(body: string): string {
  const request = JSON.parse(body, (name, value) => (name === "cache_control" ? undefined : value));
  const { tools, system, instructions, systemInstruction, messages, input, contents } = request;
  return JSON.stringify([tools, system ?? instructions ?? systemInstruction, messages ?? input ?? contents]).slice(
    0,
    -2,
  );
}

function commonLength(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let [low, high] = [0, Math.min(one.length, other.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (other.startsWith(one.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function cents(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}
