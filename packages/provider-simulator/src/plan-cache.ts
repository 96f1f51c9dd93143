import type { RenderedPrompt } from "./prompt.ts";
import type { PromptCache } from "./prompt-cache.ts";
import { NO_USAGE, type Usage } from "./usage.ts";
import type { CacheOutcome } from "./verdict.ts";

/** How a model's prompt cache works. */
export type CacheRules =
  | { readonly kind: "none" }
  /** Every prefix is cached by itself; reads are reported in steps. */
  | {
      readonly kind: "automatic";
      readonly minTokens: number;
      readonly stepTokens: number;
      readonly lifetimeMs: number;
      /** With `prompt_cache_retention: "24h"`. */
      readonly longLifetimeMs: number;
    }
  /** Only marked prefixes are cached, the newest message being marked by itself unless the request says otherwise. */
  | {
      readonly kind: "breakpoints";
      readonly minTokens: number;
      readonly lifetimeMs: number;
      readonly longLifetimeMs: number;
      readonly maxWrites: number;
      readonly maxConsidered: number;
    };

/** The caching options of a request. */
export interface CachingOptions {
  /** @default "implicit": the end of the newest message is a breakpoint by itself */
  readonly mode?: "implicit" | "explicit";
  /** @default "30m" */
  readonly ttl?: "30m" | "12h";
  /** Before GPT-5.6. @default "in_memory" */
  readonly retention?: "in_memory" | "24h";
}

export interface CachePlan {
  /** Input side only. */
  readonly usage: Usage;
  readonly outcome: CacheOutcome;
  /** Writes and refreshes entries: call it when the answer begins, not before. */
  commit(): void;
}

export interface CacheQuestion {
  readonly prompt: RenderedPrompt;
  readonly rules: CacheRules;
  readonly options: CachingOptions;
  readonly cache: PromptCache;
}

/**
 * Plans the cache reads and writes of a request. Every input token is billed once: fresh, read or written (prompt
 * caching guide: the write price is not an extra fee).
 */
export function planCache(question: CacheQuestion): CachePlan {
  const { rules } = question;
  if (rules.kind === "automatic") return planAutomatic(question, rules);
  if (rules.kind === "breakpoints") return planBreakpoints(question, rules);
  return plan(question, { readPosition: 0, readTokens: 0, writes: [], billing: "free" });
}

/**
 * Any prefix that was ever seen can be read, as far as whole blocks agree; real reads may reach into a block. Of the
 * blocks that end within the same step only the first is kept: the others would be reported as the same read.
 */
function planAutomatic(question: CacheQuestion, rules: Extract<CacheRules, { kind: "automatic" }>): CachePlan {
  const { prefix } = question.prompt;
  const lifetimeMs = question.options.retention === "24h" ? rules.longLifetimeMs : rules.lifetimeMs;
  const stepsAt = (position: number): number => Math.floor(prefix.tokensAt(position) / rules.stepTokens);
  const writes: Write[] = [];
  for (let position = prefix.length; position > 0 && prefix.tokensAt(position) >= rules.minTokens; position--) {
    const first = stepsAt(position) > stepsAt(position - 1) || prefix.tokensAt(position - 1) < rules.minTokens;
    if (first) writes.push({ position, lifetimeMs });
  }
  const readPosition = writes.find(({ position }) => question.cache.has(prefix.keyAt(position)))?.position ?? 0;
  return plan(question, {
    readPosition,
    readTokens: stepsAt(readPosition) * rules.stepTokens,
    writes,
    billing: "free",
  });
}

/**
 * Only prefixes that were written at a breakpoint can be read, at exactly that point: there is no falling back to a
 * shorter prefix that was never marked, and no limit to how many blocks lie between (types of the 7.53 client).
 */
function planBreakpoints(question: CacheQuestion, rules: Extract<CacheRules, { kind: "breakpoints" }>): CachePlan {
  const { prompt, options, cache } = question;
  const { prefix } = prompt;
  const implicit = (options.mode ?? "implicit") === "implicit";
  const lifetimeOf = (lifetime: string): Lifetime =>
    (lifetime === "inherited" ? (options.ttl ?? "30m") : lifetime) === "12h" ? "long" : "short";
  const toWrite = (position: number, lifetime: Lifetime): Write => ({
    position,
    lifetimeMs: lifetime === "long" ? rules.longLifetimeMs : rules.lifetimeMs,
    lifetime,
  });

  const explicitWrites = prompt.marks
    .slice(implicit ? -(rules.maxWrites - 1) : -rules.maxWrites)
    .map((mark) => toWrite(mark.position, lifetimeOf(mark.lifetime)));
  const writes = implicit ? [...explicitWrites, toWrite(prefix.length, lifetimeOf("inherited"))] : explicitWrites;
  const eligible = writes.filter(({ position }) => prefix.tokensAt(position) >= rules.minTokens);

  const forgotten = new Set(prompt.marks.slice(0, -rules.maxConsidered).map(({ position }) => position));
  let readPosition = 0;
  for (let position = writes.at(-1)?.position ?? 0; position > 0; position--) {
    if (prefix.tokensAt(position) < rules.minTokens) break;
    if (forgotten.has(position) || !cache.has(prefix.keyAt(position))) continue;
    readPosition = position;
    break;
  }
  return plan(question, {
    readPosition,
    readTokens: prefix.tokensAt(readPosition),
    writes: eligible,
    billing: "written",
  });
}

type Lifetime = "short" | "long";

interface Write {
  readonly position: number;
  readonly lifetimeMs: number;
  readonly lifetime?: Lifetime;
}

interface Found {
  readonly readPosition: number;
  readonly readTokens: number;
  readonly writes: readonly Write[];
  readonly billing: "free" | "written";
}

function plan({ prompt: { prefix }, cache }: CacheQuestion, found: Found): CachePlan {
  const { readPosition, readTokens, writes, billing } = found;
  const tokensUpTo = (candidates: readonly Write[], from: number): number =>
    candidates.reduce((end, { position }) => Math.max(end, prefix.tokensAt(position)), from);
  // Tokens before the last twelve-hour mark are kept for twelve hours, tokens after it for thirty minutes.
  const longEnd = tokensUpTo(
    writes.filter(({ lifetime }) => lifetime === "long"),
    readTokens,
  );
  const shortEnd = tokensUpTo(writes, longEnd);
  const billed = billing === "written";
  const usage: Usage = {
    ...NO_USAGE,
    freshTokens: prefix.tokens - (billed ? shortEnd : readTokens),
    cacheReadTokens: readTokens,
    cacheWriteTokens: billed ? shortEnd - longEnd : 0,
    longCacheWriteTokens: billed ? longEnd - readTokens : 0,
  };
  return {
    usage,
    outcome: {
      blocksRead: readPosition,
      blocksTotal: prefix.length,
      tokensRead: readTokens,
      tokensWritten: shortEnd - readTokens,
    },
    commit() {
      if (readPosition > 0) cache.refresh(prefix.keyAt(readPosition));
      for (const { position, lifetimeMs } of writes) cache.write(prefix.keyAt(position), lifetimeMs);
    },
  };
}
