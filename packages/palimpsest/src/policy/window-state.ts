// What the rules of a policy see: the window before one request, as plain data.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * The window before one request. It is a fold over the log and the time `nowMs`, so the same log gives the same state on any machine;
 * only `history.failures` is counted for each open session. Rules get no clock, no store and no client.
 */
export interface WindowState {
  readonly nowMs: number;
  readonly model: ModelState;
  readonly window: WindowLimits;
  readonly size: WindowSize;
  readonly prices: Prices;
  readonly cache: CacheState;
  readonly turn: TurnStatus;
  /** All tool results in view, oldest first. */
  readonly results: readonly ResultState[];
  readonly history: DecisionHistory;
  /** A summary that was written before anybody needed it, and that is still valid. */
  readonly prepared: PreparedSummary | undefined;
  /** Undefined if the policy has no notes. */
  readonly notes: NotesState | undefined;
  /** Where the policy will compact. Undefined if the session does not compact by itself. */
  readonly compactsAt: CompactionSizes | undefined;
  /** Facts that the host recorded with `session.mark(name, value)`. */
  readonly marks: Readonly<Record<string, Mark>>;
}

export interface ModelState {
  readonly id: string;
  /** `bound`: thinking is valid only after the exact prompt that produced it. */
  readonly thinking: "none" | "free" | "bound";
  /** What the provider can clear when a request asks for it. */
  readonly contextEdits: "none" | "results" | "results-and-thinking";
  /** Whether the provider can delete results from its cached prompt. No public API can. */
  readonly deletesFromCache: boolean;
  /** Whether the provider can compact the conversation when a request asks for it. */
  readonly compacts: boolean;
  /** Whether a call of our own can read the session's cached prompt. */
  readonly forks: boolean;
  /** The lifetimes that a request can choose. Empty if the provider chooses. */
  readonly cacheLifetimes: readonly CacheLifetime[];
}

export type CacheLifetime = "5m" | "1h";

export interface WindowLimits {
  /** The context window of the model. */
  readonly tokens: number;
  /** The window without the room that is reserved for a summary. */
  readonly usableTokens: number;
  /** From this size on the engine acts even if no rule does. */
  readonly hardLimitTokens: number;
  /** The byte limit of a request. Undefined if it is unknown. */
  readonly bytes: number | undefined;
  /** `guess`: the window of this model is unknown. */
  readonly source: "known" | "guess";
}

/** Estimates of the next request. */
export interface WindowSize {
  readonly tokens: number;
  /** The system prompt, the tools and the head. No compaction changes them. */
  readonly headTokens: number;
  readonly bytes: number;
}

/** The cost of one token, in units of `usdPerUnit` dollars. */
export interface Prices extends TokenPrices {
  /** The prices of a whole request whose input is larger than `inputTokens`. */
  readonly above: (TokenPrices & { readonly inputTokens: number }) | undefined;
  /** Undefined if the prices of the model are unknown. The other fields then have the usual proportions. */
  readonly usdPerUnit: number | undefined;
}

export interface TokenPrices {
  readonly input: number;
  readonly read: number;
  /** At the lifetime that the conversation has now. */
  readonly write: number;
  readonly output: number;
}

export interface CacheState {
  /** `new`: the session has sent nothing yet. */
  readonly status: "new" | "warm" | "cold";
  /** The time since the newest request was answered. */
  readonly idleMs: number;
  /** The prefixes that the provider can find again, shortest first. */
  readonly segments: readonly CacheSegment[];
  /**
   * Whether pings keep the prompt in the cache while a tool runs and while a person is away. `false` without such a rule, if nobody
   * attends the session, if a ping would not pay, or if the provider has no such request or has refused one.
   */
  readonly keptWarm: boolean;
}

export interface CacheSegment {
  readonly name: "head" | "conversation";
  /** The prefix ends here. */
  readonly endTokens: number;
  readonly status: "warm" | "cold";
  readonly expiresAtMs: number;
  /** The extra cost, in units, if the next request misses this prefix. */
  readonly missCost: number;
}

export interface TurnStatus {
  /** `idle`: nobody waits. `starting`: a user message waits for its first response. `open`: the model works with tools. */
  readonly status: "idle" | "starting" | "open";
  /** Responses in this turn. */
  readonly rounds: number;
  /** Ids of calls without a result. */
  readonly pendingCalls: readonly string[];
  /** Whether a person can answer. */
  readonly attended: boolean;
}

export type ResultSort = "read" | "shell" | "search" | "fetch" | "edit" | "memory" | "other";

export interface ResultState {
  /** The entry that holds the result. */
  readonly entry: number;
  readonly tool: string;
  readonly sort: ResultSort;
  /** `whole`: as the result came in. `stored`: a preview. `cleared`: a stub, or left out by the provider. */
  readonly shown: "whole" | "stored" | "cleared";
  /** The tool says that its results can be had again, and the call succeeded. */
  readonly clearable: boolean;
  /** The model asked for the same result again after it had been cleared. */
  readonly askedAgain: boolean;
  readonly tokens: number;
  /** Tokens of everything before the result, with the head. */
  readonly beforeTokens: number;
  /** The chance that the model needs the result again, by sort and age, from recorded sessions. */
  readonly needChance: number;
  readonly path: string | undefined;
}

/** What was decided before, so that a rule does not do the same again at once. */
export interface DecisionHistory {
  /** The user's messages so far. */
  readonly turns: number;
  readonly compactions: number;
  /** Growth since the last decision that changed a warm prefix. The whole conversation if there was none. */
  readonly grownTokens: number;
  readonly lastCompaction: LastCompaction | undefined;
  /** `open`: summaries have failed, and no model is asked for one at the moment. */
  readonly breaker: "closed" | "open";
  /** Why a compaction that only saves money must not run now. Undefined: nothing forbids one. */
  readonly held: "opened" | "restored" | "failed" | undefined;
  /** Model calls for compactions that are left in this turn. */
  readonly callsLeft: number;
  /** By rule: failures in a row since the session was opened. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface LastCompaction {
  /** The entry of the boundary. */
  readonly entry: number;
  /** The user's messages since then. */
  readonly turnsAgo: number;
  /** Tokens after it, without the head. */
  readonly keptTokens: number;
  readonly undone: boolean;
}

export interface Mark {
  readonly value: Json;
  readonly entry: number;
}

export interface PreparedSummary {
  readonly entry: number;
  /** The entries that the summary covers. */
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  /** What was added after that range, and stays as it is. */
  readonly tailTokens: number;
  /** `at-once`: a compaction was due when the call began, and nobody waited. `when-decided`: the next compaction uses it. */
  readonly installs: "at-once" | "when-decided";
}

/** The session's notes. All messages are uncovered if the session has not written notes yet. */
export interface NotesState {
  /** The newest entry that the notes cover. 0 if there are no notes yet. */
  readonly coveredTo: number;
  /** 0 if there are no notes yet, or all sections are empty. */
  readonly tokens: number;
  readonly uncoveredTokens: number;
  /** Tool calls in the uncovered messages. */
  readonly toolCallsSince: number;
}

/** The smallest sizes at which the policy compacts, as `compactsAt` computes them. */
export interface CompactionSizes {
  /** At the start of a turn. */
  readonly betweenTurnsTokens: number;
  /** While the model works with tools. */
  readonly inTurnTokens: number;
}
