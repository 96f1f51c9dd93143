import type { RecordedAgent } from "@palimpsest/observe";

/** A session on this machine, of any agent. */
export interface FoundSession {
  /** Our own name for it: safe in any text, and the same in every call. */
  readonly key: string;
  readonly agent: RecordedAgent | "palimpsest";
  /** The agent's name for it. */
  readonly id: string;
  /** The beginning of its first message. */
  readonly title: string;
  readonly startedAtMs: number;
  readonly usedAtMs: number;
  readonly cwd?: string;
  /** Stops whatever reads it. */
  readonly signal?: AbortSignal | undefined;
  /** Its messages, oldest first. @param from the number of the first one, counted from 1 */
  entries(from: number): AsyncIterable<SessionEntry>;
  /** The messages that have all of the words, in any order of their own. */
  search(words: string): AsyncIterable<SessionHit>;
  spending(): Promise<Spending>;
}

export interface SessionEntry {
  readonly number: number;
  readonly atMs: number;
  /** Whose words they are: "user", "assistant", "tool" and so on. */
  readonly who: string;
  /** The text in parts, complete and unchanged. Thinking is left out. */
  text(): AsyncIterable<string> | Iterable<string>;
}

export interface SessionHit {
  readonly entry: number;
  readonly snippet: string;
}

/** What a session spent, what it lost, and what fills its window. */
export interface Spending {
  readonly totals: SpentTokens;
  /** By what the money was spent on, the most expensive first. */
  readonly parts: readonly { readonly name: string; readonly usd: number; readonly tokens: number }[];
  /** Cache misses, oldest first. */
  readonly misses: readonly CacheMiss[];
  /** Absent if nothing was sent yet. */
  readonly window?: WindowContent;
  readonly compactions: readonly { readonly atMs: number; readonly tokensBefore?: number }[];
}

export interface SpentTokens {
  readonly responses: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  /** With a perfect cache. */
  readonly perfectUsd: number;
  readonly unpricedResponses: number;
}

export interface CacheMiss {
  readonly atMs: number;
  readonly why: string;
  readonly tokens: number;
  readonly usd?: number;
}

/** The newest request. */
export interface WindowContent {
  readonly tokens: number;
  readonly windowTokens?: number;
  readonly model?: string;
  /** The largest first. */
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
}
