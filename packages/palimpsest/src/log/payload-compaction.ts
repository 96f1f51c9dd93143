// The parts of payloads that concern compaction: records, failed attempts, refused requests, and edits by the provider.

/** How a compaction was made: its cause, its summary, and its effect. `explain` shows the record. */
export interface CompactionRecord {
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  /** The window forced the compaction, although a restore had undone an earlier compaction of the same items. */
  readonly overrides?: "restore";
  readonly variant: "full" | "from" | "up_to";
  readonly rung: CompactionRung;
  /** Summary methods that were tried before, and why each failed. */
  readonly declined: readonly { readonly rung: CompactionRung; readonly why: string }[];
  readonly messages: number;
  /** Estimates of the whole view, before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The tokens of each part of the summary message, and of the rehydrated content. */
  readonly parts: Readonly<Record<string, number>>;
  /** The rehydrated parts, and how much of each is in view; absent if the provider compacted. */
  readonly putBack?: readonly RehydratedPart[];
  readonly modelCalls: number;
  readonly priceUsd?: number;
  /** Instructions of the user and of hooks for the summary. */
  readonly instructions?: string;
}

/** What started a compaction. `reactive`: the provider refused a request as too long. */
export type CompactionTrigger = "auto" | "manual" | "reactive";

/**
 * The reason for a compaction. `window`: the window is nearly full, or the provider refused a request as too long.
 * `economic`: it saves money, and the window has room. `asked`: the user or the host asked for it.
 */
export type CompactionReason = "window" | "economic" | "asked";

/**
 * The method that made a summary. `notes`: the session's notes. `fork`: the model, on the cached prompt. `direct`: the model,
 * from a transcript. `passes`: the model, from a transcript in several parts. `digest`: no model. `provider`: the provider.
 */
export type CompactionRung = "notes" | "fork" | "direct" | "passes" | "digest" | "provider";

/** A file, a skill, the plan or another text from the host that is shown again after a compaction. */
export interface RehydratedPart {
  /** The type of attachment. */
  readonly type: string;
  /** The path of a file, the name of a skill. */
  readonly name?: string;
  readonly shown: "whole" | "cut" | "left-out";
  /** Tokens in view. */
  readonly tokens: number;
  /** Tokens of the whole part; 0 if the part could not be read. */
  readonly ofTokens: number;
  /** Why the part is cut or left out. */
  readonly why?: string;
}

/** A compaction attempt that changed nothing. */
export interface AttemptPayload {
  readonly trigger: CompactionTrigger;
  readonly failure: CompactionFailure;
  readonly why: string;
  /** Failures of economic compactions are counted separately. */
  readonly reason: CompactionReason;
  /** Model calls for compaction since the user's last message, including failed calls; absent if this attempt made none. */
  readonly calls?: number;
}

/**
 * Why a compaction failed. `too-large`: content that cannot be compacted leaves no room. `no-summary`: no model answered with a
 * summary that passes the checks, or no model could be asked. `api-error`: the calls failed. `prompt-too-long`: the provider
 * refused them as too long. `declined`: a hook blocked it, or it would not have saved anything.
 */
export type CompactionFailure = "too-large" | "no-summary" | "api-error" | "prompt-too-long" | "declined";

/** The provider refused a request as too long, and may have named the limit. */
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

/** What a request asks the provider to remove from the prompt. */
export interface RequestedEdits {
  readonly edits?: ProviderEdits;
  /** Results to delete from the cached prompt. Sent with every request to which the deletion applies. */
  readonly deleted?: readonly DeletedResult[];
}

/**
 * What the provider leaves out of a request at our request. The sent conversation stays complete, so that thinking that is bound
 * to it stays valid.
 */
export interface ProviderEdits {
  readonly results: ResultEdits;
  /** Thinking of earlier turns: all of it is kept, or only the thinking from an entry on. */
  readonly thinking: "all" | KeptThinking;
}

/** The results that the provider leaves out: oldest first, except the newest results and the results of kept tools. */
export interface ResultEdits {
  /** Leave nothing out of a request with less input. */
  readonly aboveTokens: number;
  /** Leave nothing out if the removed results have fewer tokens together, because the removal invalidates cached tokens. */
  readonly minimumTokens: number;
  readonly keepNewest: number;
  /** Tools whose results are always kept. */
  readonly keptTools: readonly string[];
  /** Tools whose calls lose their input together with the result. A call that writes a file has most tokens in its input. */
  readonly inputsOf: readonly string[];
}

/** The turns whose thinking is kept. */
export interface KeptThinking {
  readonly from: number;
  /** The number of turns with thinking from that entry on, at least 1. Providers count turns from the end. */
  readonly turns: number;
}

/** How much the provider left out, by its own report. The report has only counts. */
export interface AppliedEdits {
  readonly results: number;
  readonly thinkingTurns: number;
  readonly tokens: number;
}

/** A result that is deleted from the provider's cached prompt. The view still shows it. */
export interface DeletedResult {
  readonly entry: number;
  readonly callId: string;
}
