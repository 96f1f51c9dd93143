import type { PromptCache } from "../../prompt-cache.ts";
import type { Usage } from "../../usage.ts";
import type { CacheOutcome } from "../../verdict.ts";
import type { RenderedPrompt } from "./render.ts";

/**
 * How far before a mark an earlier entry is still found. Measured on recorded sessions of June to August 2026: found
 * twenty blocks back, lost at twenty-one and beyond; thinking does not count, parallel calls and their results count
 * one by one. The provider's guide has since been seen to count a run of them as one, which no record shows.
 */
const LOOK_BACK_BLOCKS = 20;

const LIFETIME_MS = { "5m": 5 * 60_000, "1h": 60 * 60_000 } as const;

export interface CachePlan {
  readonly usage: Pick<Usage, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "longCacheWriteTokens">;
  readonly outcome: CacheOutcome;
  /** Entries that can be read once the plan is carried out. */
  readonly writtenKeys: readonly string[];
  /** Carries out the reads and writes: an entry can be read only once the response has begun. */
  commit(): void;
}

export interface CacheOptions {
  /** Account, workspace and model: nothing is shared across them. */
  readonly scope: string;
  readonly minimumTokens: number;
  /** Entries that an earlier pass of the same call writes. @default none */
  readonly alsoReadable?: readonly string[];
}

/** Finds the longest cached prefix at or shortly before a mark, and what the marks beyond it will write. */
export function planCache(prompt: RenderedPrompt, cache: PromptCache, options: CacheOptions): CachePlan {
  const { prefix, marks, thinkingPositions } = prompt;
  const keyAt = (position: number): string => `${options.scope}/${prefix.keyAt(position)}`;
  const isReadable = (key: string): boolean => cache.has(key) || (options.alsoReadable?.includes(key) ?? false);
  const effective = marks.filter(({ position }) => prefix.tokensAt(position) >= options.minimumTokens);
  const found = new Set<string>();
  let readPosition = 0;
  for (const mark of effective) {
    let passed = 0;
    for (let position = mark.position; position >= 1 && passed <= LOOK_BACK_BLOCKS; position--) {
      if (!thinkingPositions.has(position)) passed++;
      const key = keyAt(position);
      if (!isReadable(key)) continue;
      found.add(key);
      readPosition = Math.max(readPosition, position);
      break;
    }
  }
  const writes = effective.filter((mark) => mark.position > readPosition);
  const writtenKeys = writes.map(({ position }) => keyAt(position));
  const lastLong = writes.findLast((mark) => mark.lifetime === "1h")?.position ?? readPosition;
  const lastWrite = writes.at(-1)?.position ?? readPosition;
  const readTokens = prefix.tokensAt(readPosition);
  const longTokens = prefix.tokensAt(lastLong) - readTokens;
  const shortTokens = prefix.tokensAt(lastWrite) - prefix.tokensAt(lastLong);
  return {
    usage: {
      cacheReadTokens: readTokens,
      longCacheWriteTokens: longTokens,
      cacheWriteTokens: shortTokens,
      freshTokens: prefix.tokens - prefix.tokensAt(lastWrite),
    },
    outcome: {
      blocksRead: readPosition,
      blocksTotal: prefix.length,
      tokensRead: readTokens,
      tokensWritten: longTokens + shortTokens,
    },
    writtenKeys,
    commit() {
      for (const key of found) cache.refresh(key);
      for (const [index, mark] of writes.entries()) cache.write(writtenKeys[index]!, LIFETIME_MS[mark.lifetime]);
    },
  };
}
