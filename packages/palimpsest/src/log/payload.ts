import type { Block } from "./block.ts";
import type { CacheDiagnosis, CacheFacts } from "./cause.ts";
import type { ModelPrices } from "./prices.ts";
import type { AppliedEdits } from "./provider-edits.ts";

/** What stands in the entries of a log, by kind. A reader passes over kinds and versions that it does not know. */
export interface Payloads {
  readonly message: MessagePayload;
  readonly attachment: AttachmentPayload;
  readonly configuration: ConfigurationPayload;
  readonly request: RequestPayload;
  readonly usage: UsagePayload;
  readonly replace: ReplacePayload;
  readonly restore: RestorePayload;
  readonly boundary: BoundaryPayload;
  readonly rewind: RewindPayload;
  readonly fork: ForkPayload;
  readonly pin: PinPayload;
  readonly unpin: UnpinPayload;
  readonly notes: NotesPayload;
  readonly attempt: AttemptPayload;
  readonly overflow: OverflowPayload;
  readonly agent: AgentPayload;
  readonly mark: MarkPayload;
  readonly key: KeyPayload;
}

export type PayloadKind = keyof Payloads;

/** The version of each payload that this release writes; it reads that one and all before it. */
export const PAYLOAD_VERSIONS: Readonly<Record<PayloadKind, number>> = {
  message: 1,
  attachment: 1,
  configuration: 1,
  request: 1,
  usage: 1,
  replace: 1,
  restore: 1,
  boundary: 1,
  rewind: 1,
  fork: 1,
  pin: 1,
  unpin: 1,
  notes: 1,
  attempt: 1,
  overflow: 1,
  agent: 1,
  mark: 1,
  key: 1,
};

/** One message, or one piece of one: each tool result is an entry of its own, so that a decision can name it. */
export interface MessagePayload {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  /** Who wrote it. `command`: output of a command the user ran. `host`: text that the program around the model put in. */
  readonly origin: "human" | "model" | "tool" | "command" | "host" | "summary";
  /** Who gets to see it. Progress, notices and errors are for the user only and never sent. @default "everyone" */
  readonly audience?: "everyone" | "model" | "user";
  /** The provider's id of the response; its pieces share it. */
  readonly responseId?: string;
  /** The `request` entry that this responds to. */
  readonly answers?: number;
  readonly model?: string;
  /** Whose response it is. */
  readonly provider?: string;
  /** Why the model stopped, where it matters for what may be sent next. `paused`: it is to be sent back as it is. */
  readonly stop?: "paused";
  /** Where the text is in full, if it was too large: what stands in the blocks is a preview of it. */
  readonly stored?: StoredContent;
}

/** Content that is kept outside of the log, in a file of the session's. */
export interface StoredContent {
  /** The file's name: the digest and an ending. Never a path: the session's folder may move. */
  readonly file: string;
  readonly bytes: number;
  readonly lines: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly digest: string;
}

/** Content that the host adds for the model: a reminder, a file put back, a memory. Sent as part of a user message. */
export interface AttachmentPayload {
  /** What sort of attachment, for accounting and clean-up. */
  readonly type: string;
  readonly blocks: readonly Block[];
}

/** What is sent beside the messages. Unchanged parts point at the entry in which they stand in full. */
export interface ConfigurationPayload {
  readonly provider: string;
  readonly model: string;
  readonly system: Held<string>;
  readonly tools: Held<readonly ToolDefinition[]>;
  /** Fields of the provider's request that the caller chose (thinking, effort, ...), passed on as they are. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Why it changed. */
  readonly cause: string;
}

export type Held<Value> = { readonly value: Value } | { readonly heldBy: number };

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /**
   * Whether old results may be replaced by a stub once they are stale; `recall` still reads them. For the engine; not sent.
   * @default "clearable", and "kept" for a tool with side effects
   */
  readonly results?: "clearable" | "kept";
  /**
   * `bounded`: the tool limits its own results, as a tool that reads files page by page does. Its results are not stored in
   * a file for their size. For the engine; not sent. @default results over `toolResults.thresholdCharacters` are stored
   */
  readonly resultSize?: "bounded";
  /**
   * `some`: a call changes something outside of the conversation, so calling again does not bring its result back.
   * For the engine; not sent. @default "none"
   */
  readonly sideEffects?: "none" | "some";
}

/**
 * A request was made ready from everything before this entry. What it contained is sealed: flattening never orders,
 * merges or drops it in another way again. Written before the request is handed out.
 */
export interface RequestPayload {
  readonly maxTokens: number;
  readonly estimatedTokens: number;
  /** Who asks. @default "main" */
  readonly source?: string;
  /** The newest response of the same provider before it: what the provider is to compare it with, if it can. */
  readonly previousResponseId?: string;
  /** How long the provider is asked to keep the prompt, where that can be chosen. @default "5m" */
  readonly cacheTtl?: CacheTtl;
  readonly cache?: CacheFacts;
}

/** How long a prompt is kept in the cache. */
export type CacheTtl = "5m" | "1h";

/** What one response used, in the same words for every provider. */
export interface UsagePayload {
  readonly responseId: string;
  /** The `request` entry it belongs to; absent for a call that was not made from this view. */
  readonly answers?: number;
  readonly model: string;
  /** Input that was neither read from the cache nor written to it. */
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` with a time to live of one hour. */
  readonly cacheWrite1hTokens?: number;
  /** How much of the cached prompt was deleted, of all that the request named; not in the counts above. @default 0 */
  readonly deletedTokens?: number;
  readonly outputTokens: number;
  /** The part of `outputTokens` spent on reasoning. */
  readonly reasoningTokens?: number;
  /** Who asked. @default "main" */
  readonly source?: string;
  /** `interrupted`: the answer was stopped before it was whole. @default it was whole */
  readonly ending?: "interrupted";
  /** Which counts are an estimate, because the provider had not reported them when the answer was stopped. @default none */
  readonly estimated?: "output" | "all";
  /**
   * `truncated`: the server read less than it was sent, and said nothing. Its counts are right for the price, and do not
   * tell the size of the view.
   */
  readonly input?: "truncated";
  /** When the call was made; absent where a `request` entry says it. */
  readonly madeAtMs?: number;
  /** What the model cost then; absent where a `request` entry says it, or nobody has said. */
  readonly prices?: ModelPrices;
  /** What the provider says about its cache, where it says something. */
  readonly cacheDiagnosis?: CacheDiagnosis;
  /** What of the request the provider left out, as it was asked to; the counts above are without it. */
  readonly appliedEdits?: AppliedEdits;
  /**
   * The provider has folded the conversation before it wrote the response. `before`: the counts are of what the conversation
   * has become. `within`: of what it was, so they do not tell its size.
   */
  readonly folded?: "before" | "within";
}

/** A message as a decision puts it in place of others. */
export interface Replacement {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  readonly origin: MessagePayload["origin"];
  /** The type of attachment, if it is one: then it is sent as one, and is not put in the user's mouth. */
  readonly attachment?: string;
}

/** A range of entries is shown as something else: a preview, a stub, a summary, or nothing. */
export interface ReplacePayload {
  /** The first and the last entry of the range, both included. */
  readonly from: number;
  readonly to: number;
  readonly with: readonly Replacement[];
  readonly reason: string;
  readonly cost?: DecisionCost;
}

export interface DecisionCost {
  readonly shedTokens: number;
  readonly invalidatedPrefixTokens: number;
  readonly netUsd?: number;
}

/** Takes a `replace` or a `boundary` back: the range is shown as it was before. */
export interface RestorePayload {
  /** The entry that is taken back, and the range it had. */
  readonly of: number;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  /** What it was. @default "replace" */
  readonly was?: "replace" | "boundary";
}

/** A `replace` that reading begins at: it carries what must outlive the entries it covers. */
export interface BoundaryPayload extends ReplacePayload {
  /** What the view consists of from here on, in order; the boundary's own replacement is in it. */
  readonly outline: readonly Shown[];
  readonly state: CarriedState;
  /** The request in the middle of whose answer the provider has folded it: the answer follows, and was written behind it. */
  readonly answers?: number;
  /** How it came about; absent if the host folded it by itself. */
  readonly compaction?: CompactionRecord;
}

/** `reactive`: the provider has refused a request as too long. */
export type CompactionTrigger = "auto" | "manual" | "reactive";

/**
 * Why a compaction is made. `window`: the window is nearly full, or the provider has refused a request as too long.
 * `economic`: it saves money, and the window has room. `asked`: the user or the host has asked for it.
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
  /** Absent in logs of earlier releases. */
  readonly reason?: CompactionReason;
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
  /** Each part that the host had for the model, and how much of it is in view. @default not on record */
  readonly putBack?: readonly PutBackPart[];
  readonly modelCalls: number;
  readonly priceUsd?: number;
  /** What the user and hooks wanted the summary to pay heed to. */
  readonly instructions?: string;
}

/** A file, a skill, the plan or another text of the host's, after a compaction. */
export interface PutBackPart {
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

/** Entries that are shown: as they are, or as the entry `by` has put it. */
export interface Shown {
  readonly from: number;
  readonly to: number;
  readonly by?: number;
  /** Their thinking cannot be sent back any more where it is bound to what stood before it. @default "intact" */
  readonly thinking?: "intact" | "lost";
}

export interface CarriedState {
  /** The `configuration` entry in effect. */
  readonly configuration: number;
  /** What the estimator has learned. */
  readonly calibration: unknown;
  /** What was spent, on whatever branch, and why. */
  readonly ledger: unknown;
  /** Pins, notes, what the user said, facts, failures. */
  readonly standing?: unknown;
}

/** Back to an earlier entry, which is this one's parent: what lies between is on another branch now. */
export interface RewindPayload {
  readonly reason: string;
  /** What was spent until now: going back does not give it back. */
  readonly ledger: unknown;
  /** The newest entry that was shown before and still is; 0 if none. */
  readonly sharedTo: number;
  /** The request that stands at the end of what was gone back to: it may be sent once more. */
  readonly request?: { readonly entry: number; readonly cache?: CacheFacts };
}

/** The first entry of a fork's own log: the session that it continues, and the entry at which it parts from it. */
export interface ForkPayload {
  readonly session: string;
  readonly sequence: number;
  /** Of that entry: whoever reads both logs can tell that it is the same conversation. */
  readonly hash: string;
  /** Who asked for it: its requests and its usage are counted under this name. */
  readonly source: string;
  /** Tools that it may use. All stay in the list, which the cache is found by; calls of others are refused. @default all */
  readonly allowedTools?: readonly string[];
}

/** A text that stays in view through every compaction, byte for byte. */
export interface PinPayload {
  readonly text: string;
  /** The entry that it was taken from, if it was. */
  readonly of?: number;
}

export interface UnpinPayload {
  /** The `pin` entry that is taken back. */
  readonly of: number;
}

/** One version of the session's notes. */
export interface NotesPayload {
  readonly markdown: string;
  /** The newest entry that they know of. */
  readonly coveredTo: number;
}

/** A compaction that was tried and changed nothing. */
export interface AttemptPayload {
  readonly trigger: CompactionTrigger;
  readonly failure: CompactionFailure;
  readonly why: string;
  /** Failures of economic compactions are counted apart. @default "window" */
  readonly reason?: CompactionReason;
}

/**
 * `too-large`: what cannot be folded leaves no room. `no-summary`: models answered, but with no summary that passes the checks,
 * or none could be asked. `api-error`: the calls failed. `prompt-too-long`: the provider refused them as too long. `declined`: a
 * hook blocked it, or there was nothing to gain.
 */
export type CompactionFailure = "too-large" | "no-summary" | "api-error" | "prompt-too-long" | "declined";

/** The provider has refused a request because it was too long, and may have said how long. */
export interface OverflowPayload {
  readonly request?: number;
  readonly inputTokens?: number;
  readonly limitTokens?: number;
  /**
   * `truncated`: it was not refused: the server cut the input to `limitTokens` and said nothing. Then `estimatedTokens` is
   * what was sent, by estimate. @default "refused"
   */
  readonly how?: "refused" | "truncated";
  readonly estimatedTokens?: number;
}

/** A step in the life of an agent that this session has started. */
export type AgentPayload = AgentStarted | AgentEnded | AgentResumed;

/** `subagent`: its caller waits for it. `background`: nobody does. `fork`: it continues this conversation. `teammate`: its own process. */
export type AgentWay = "subagent" | "background" | "fork" | "teammate";

export interface AgentStarted {
  readonly id: string;
  readonly step: "started";
  readonly way: AgentWay;
  /** What it is to do, in one line. */
  readonly goal: string;
  /** Its own session. */
  readonly session: string;
  /** What others call it by. */
  readonly name?: string;
  /** What kind of agent it is. */
  readonly definition?: string;
}

export interface AgentEnded {
  readonly id: string;
  readonly step: "ended";
  readonly outcome: "done" | "failed" | "stopped";
  /** Where its result stands: in the entry right behind, or in the result of the call that waited for it. */
  readonly told: "next-entry" | "by-call";
}

/** It was woken by a message, and goes on from its log. */
export interface AgentResumed {
  readonly id: string;
  readonly step: "resumed";
}

/** Somebody has been through the log up to an entry, and need not go there again. */
export interface MarkPayload {
  /** Who. */
  readonly name: string;
  readonly coveredTo: number;
}

/**
 * The entries behind this one were appended under a key: an append with the same key appends nothing. Its kind is `key:` and
 * the key's digest, so that the newest entry of that kind is found without reading the log.
 */
export interface KeyPayload {
  readonly key: string;
  /** How many entries of content stand directly behind it. */
  readonly entries: number;
}
