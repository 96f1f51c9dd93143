// The parts of payloads that concern compaction: records, failed attempts, refused requests, and edits by the provider.

/** How a compaction was made: its cause, its summary, and its effect. `explain` shows the record. */
export interface CompactionRecord {
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  /** The decision of the policy; absent if the user, the host or a refusal of the provider asked for the compaction. */
  readonly decided?: DecidedBy | undefined;
  /** The window forced the compaction, although a restore had undone an earlier compaction of the same items. */
  readonly overrides?: "restore";
  readonly variant: "full" | "from" | "up_to";
  readonly summary: SummaryRecord;
  /** What was tried before, or went wrong on the way. */
  readonly attempts: readonly SummaryAttempt[];
  readonly messages: number;
  /** Estimates of the whole view, before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What survived besides the kept messages: the summary, and each part that had something to show. */
  readonly parts: readonly PartRecord[];
  readonly modelCalls: number;
  readonly priceUsd?: number;
  /** Instructions of the user and of hooks for the summary. */
  readonly instructions?: string;
  /** The summary was written before it was needed; absent otherwise. `modelCalls` and `priceUsd` do not include its calls. */
  readonly prepared?: { readonly entry: number; readonly calls: number; readonly priceUsd?: number };
}

/** What started a compaction. `reactive`: the provider refused a request as too long. */
export type CompactionTrigger = "auto" | "manual" | "reactive";

/**
 * The reason for a compaction. `window`: the window is nearly full, or the provider refused a request as too long. `requested`: the
 * policy wants the compaction at any price, for example after a closed ticket. `economic`: it saves money, and the window has room.
 * `asked`: the user or the host asked for it.
 */
export type CompactionReason = "window" | "requested" | "economic" | "asked";

/** How a summary came about, without its text. */
export interface SummaryRecord {
  readonly way: SummaryWay;
  /** The name of the form that was asked for. */
  readonly form: string;
  /** Whether there is a summary and its form accepts it. True if the policy wants no summary. */
  readonly met: boolean;
}

export interface SummaryAttempt {
  readonly way: SummaryWay;
  readonly why: string;
}

/**
 * How a summary came about. `prepared`: a model, before anybody needed the summary. `notes`: the session's notes. `provider`: the
 * provider, in its own format. `function`: the builder's code. `fork`: the model, on the cached prompt. `direct`: a model, from a
 * transcript. `in-parts`: the same in several parts. `none`: no summary.
 */
export type SummaryWay = "prepared" | "notes" | "provider" | "function" | "fork" | "direct" | "in-parts" | "none";

/**
 * Why a compaction has no summary, or one that does not meet its form. `no-usable-summary`: no answer passed the checks, or no
 * model could be asked. `provider-error`: the calls failed. `prompt-too-long`: the provider refused them as too long.
 * `calls-used-up`: no calls or no time were left. `function-failed`: the builder's code failed.
 */
export type DegradedReason =
  | "no-usable-summary"
  | "provider-error"
  | "prompt-too-long"
  | "calls-used-up"
  | "function-failed";

/**
 * A summary that was written before a compaction needed it (`written`), or that will never be used (`dropped`). A compaction that
 * uses one is a `boundary`, which ends it, too.
 */
export type PreparedPayload = PreparedWritten | PreparedDropped;

interface PreparedWritten extends Omit<PreparedState, "entry"> {
  readonly step: "written";
  readonly text: string;
  /** The name of the form, and whether it accepts the text. */
  readonly form: string;
  readonly met: boolean;
  /** Why its form does not accept the text. */
  readonly problem?: { readonly reason: DegradedReason; readonly because: string } | undefined;
  /** Why the call began, in words and numbers. */
  readonly because: string;
  readonly attempts: readonly SummaryAttempt[];
  /** Instructions of hooks for the summary. */
  readonly instructions?: string | undefined;
}

interface PreparedDropped {
  readonly step: "dropped";
  /** The entry of the summary. */
  readonly of: number;
  readonly reason: PreparedDropReason;
  readonly because: string;
}

/** What a session has to know of a prepared summary without its text. */
export interface PreparedState {
  readonly entry: number;
  /** The first and the last entry that the summary covers. */
  readonly from: number;
  readonly to: number;
  /** The decision that had last changed the view when the summary was written. A rewind to before it changes what is covered. */
  readonly viewChangedAt: number;
  /** Name and parameters of the form: a policy with another form does not use the summary. */
  readonly formKey: string;
  readonly tokens: number;
  /** `at-once`: a compaction was due, and nobody waited for it. `when-decided`: one was near. */
  readonly installs: "at-once" | "when-decided";
  /** Model calls for the summary, and their price; absent if the prices are unknown. */
  readonly calls: number;
  readonly priceUsd?: number | undefined;
}

/**
 * Why a prepared summary is not used. `rewound`: the user rewound into its range. `content-changed`: content in its range was
 * removed, replaced or restored. `undone`: a compaction was undone. `compacted`: another compaction came first. `tail-too-long`: too
 * much was added after its range. `policy-changed`: the policy asks for another form, or for none. `too-large`: the view would not
 * be smaller by enough. `blocked`: a hook blocked the call. `failed`: no model wrote a usable summary. `closed`: the session was
 * closed while a model wrote.
 */
export type PreparedDropReason =
  | "rewound"
  | "content-changed"
  | "undone"
  | "compacted"
  | "tail-too-long"
  | "policy-changed"
  | "too-large"
  | "blocked"
  | "failed"
  | "closed";

/** One part of what survived a compaction, and how much of it is in view. */
export interface PartRecord {
  readonly name: string;
  /** The number of items that the part chose from: messages, files, texts of the host. */
  readonly items: number;
  /** Tokens in view. */
  readonly tokens: number;
  /** Tokens of all items. */
  readonly fullTokens: number;
  /** Why the part is cut or left out. */
  readonly why?: string | undefined;
}

/**
 * A decision about the window that clears results. A clearing of our own directly follows as `replace` entries, which carry the
 * text of the stubs.
 */
export interface DecisionPayload extends DecidedBy {
  readonly action: "clear" | "ask-provider" | "delete-cached";
  /** The size of the view, before and after, by estimate. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The estimated size of results that the provider has left out until now, and that stubs replace from now on. */
  readonly returningTokens?: number | undefined;
  /** From now on, requests ask the provider for these edits. */
  readonly edits?: ProviderEdits | undefined;
  /** From now on, requests delete these results from the cached prompt. */
  readonly deleted?: readonly DeletedResult[] | undefined;
}

/** Why a decision was taken. */
export interface DecidedBy {
  /** The rule of the policy that proposed the action. */
  readonly rule: string;
  readonly level: string;
  readonly because: string;
  readonly figures: DecisionFigures;
  /** The other proposals. */
  readonly considered: readonly ConsideredProposal[];
  /** Why nothing was done earlier; absent if this is the first decision since the session was opened. */
  readonly before?: EarlierDecision | undefined;
}

/** The newest decision that changed nothing. It has no entry of its own. */
export interface EarlierDecision {
  readonly atMs: number;
  /** The size of the window at that time. */
  readonly tokens: number;
  /** The size at which the policy compacts, as it was expected then; absent if the session does not compact by itself. */
  readonly compactsAtTokens?: number | undefined;
  /** Up to 400 characters. */
  readonly because: string;
}

/** Costs and savings of a proposal, in US dollars; in prices of an input token if the prices are unknown. */
export interface DecisionFigures {
  readonly unit: "usd" | "input-tokens";
  readonly costNow: number;
  readonly costLater: number;
  readonly savesNow: number;
  readonly savesLater: number;
  readonly net: number;
}

/** A proposal that was not taken. */
export interface ConsideredProposal {
  readonly rule: string;
  readonly level: string;
  readonly net: number;
  readonly tokensAfter: number;
  /** Why it could not be taken; absent if another proposal was better. */
  readonly barred?: string | undefined;
}

/** The policy of the session, in words and numbers. The bytes of a request do not depend on it. */
export interface PolicyPayload {
  readonly name: string;
  readonly rules: readonly { readonly slot: string; readonly name: string; readonly params?: unknown }[];
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
  readonly edits?: ProviderEdits | undefined;
  /** Results to delete from the cached prompt. Sent with every request to which the deletion applies. */
  readonly deleted?: readonly DeletedResult[] | undefined;
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
