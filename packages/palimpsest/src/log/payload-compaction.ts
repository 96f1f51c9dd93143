/** What started a compaction. `reactive`: the provider refused a request as too long. */
export type CompactionTrigger = "auto" | "manual" | "reactive";

/**
 * The reason for a compaction. `window`: the window is nearly full, or the provider refused a request as too long.
 * `economic`: it saves money, and the window has room. `asked`: the user or the host asked for it.
 */
export type CompactionReason = "window" | "economic" | "asked";

/**
 * Where a summary comes from. `notes`: kept all along. `fork`: the model, on the cached prompt. `direct`: the model, from a
 * transcript; `passes`: from a transcript in several parts. `digest`: no model. `provider`: the provider's own.
 */
export type CompactionRung = "notes" | "fork" | "direct" | "passes" | "digest" | "provider";

/** A compaction, told so that it can be explained later. */
export interface CompactionRecord {
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  /** The window forced it, although a restore had taken back an earlier compaction of the same items. */
  readonly overrides?: "restore";
  readonly variant: "full" | "from" | "up_to";
  readonly rung: CompactionRung;
  /** Rungs that were tried before, and why they did not do. */
  readonly declined: readonly { readonly rung: CompactionRung; readonly why: string }[];
  readonly messages: number;
  /** Estimates of the whole view, before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What the summary message consists of, and what was put back, in tokens. */
  readonly parts: Readonly<Record<string, number>>;
  /** Each part that the host had for the model, and how much of it is in view; absent if the provider compacted. */
  readonly putBack?: readonly RehydratedPart[];
  readonly modelCalls: number;
  readonly priceUsd?: number;
  /** What the user and hooks wanted the summary to pay heed to. */
  readonly instructions?: string;
}

/** A file, a skill, the plan or another text of the host's, after a compaction. */
export interface RehydratedPart {
  /** The type of attachment. */
  readonly type: string;
  /** The path of a file, the name of a skill. */
  readonly name?: string;
  readonly shown: "whole" | "cut" | "left-out";
  /** In view, of how many; 0 of 0 for what could not be read. */
  readonly tokens: number;
  readonly ofTokens: number;
  /** Why it is not there as a whole. */
  readonly why?: string;
}

/** A compaction attempt that changed nothing. */
export interface AttemptPayload {
  readonly trigger: CompactionTrigger;
  readonly failure: CompactionFailure;
  readonly why: string;
  /** Failures of economic compactions are counted separately. */
  readonly reason: CompactionReason;
  /** The calls for compactions since the user last spoke, those that failed among them; absent if this attempt made none. */
  readonly calls?: number;
}

/**
 * Why a compaction failed. `too-large`: content that cannot be compacted leaves no room. `no-summary`: no model answered with a
 * summary that passes the checks, or no model could be asked. `api-error`: the calls failed. `prompt-too-long`: the provider
 * refused them as too long. `declined`: a hook blocked it, or it would not have saved anything.
 */
export type CompactionFailure = "too-large" | "no-summary" | "api-error" | "prompt-too-long" | "declined";

/** The provider refused a request as too long. It may have named the limit. */
export interface OverflowPayload {
  readonly request?: number;
  readonly inputTokens?: number;
  readonly limitTokens?: number;
  /**
   * `truncated`: the server did not refuse the request, but silently cut the input to `limitTokens`. `estimatedTokens` is then an
   * estimate of what was sent. @default "refused"
   */
  readonly how?: "refused" | "truncated";
  readonly estimatedTokens?: number;
}

/** What a request asks of the provider beside an answer: to clear what is stale, each in its own way. */
export interface RequestedEdits {
  readonly edits?: ProviderEdits;
  /** What is to be read without, of the prompt that the provider has cached. Sent with every request for which it holds. */
  readonly deleted?: readonly DeletedResult[];
}

/**
 * What a provider is asked to leave out of a request by itself. The conversation that is sent stays whole, so that thinking
 * which is bound to it stays valid.
 */
export interface ProviderEdits {
  readonly results: ResultEdits;
  /** Thinking of earlier turns: all of it stays, or only that of turns from an entry on. */
  readonly thinking: "all" | KeptThinking;
}

/** Oldest results first, all but the newest, of every tool that is not kept. */
export interface ResultEdits {
  /** Nothing is left out of a request with less input. */
  readonly aboveTokens: number;
  /** Nothing is left out if it would come to less: it has to be worth the cache it moves. */
  readonly minimumTokens: number;
  readonly keepNewest: number;
  /** Tools whose results always stay. */
  readonly keptTools: readonly string[];
  /** Tools whose calls lose their input along with the result: the bulk of a write is in its input. */
  readonly inputsOf: readonly string[];
}

export interface KeptThinking {
  readonly from: number;
  /** How many turns with thinking there are from that entry on, at least 1: providers count from the end. */
  readonly turns: number;
}

/** What a provider says it has left out. It counts, and names none. */
export interface AppliedEdits {
  readonly results: number;
  readonly thinkingTurns: number;
  readonly tokens: number;
}

/** A result that is deleted from the provider's cached prompt. In the view it stands as before. */
export interface DeletedResult {
  readonly entry: number;
  readonly callId: string;
}
