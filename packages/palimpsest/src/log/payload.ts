// The payload of each kind of entry, and its version. Compactions and turns have files of their own.

import type { Block, ToolDefinition } from "./block.ts";
import type { CacheDiagnosis, CacheFacts, ForkUse, ModelPrices } from "./cause.ts";
import type {
  AppliedEdits,
  AttemptPayload,
  CompactionRecord,
  DecisionPayload,
  OverflowPayload,
  PolicyPayload,
  PreparedPayload,
  PreparedState,
} from "./payload-compaction.ts";
import type { AgentPayload, CallPayload, TakenPayload, TurnPayload } from "./payload-turn.ts";
import type { Provenance } from "./provenance.ts";

export type { ToolDefinition } from "./block.ts";

/** The payload of each kind of entry. Readers skip kinds and versions that they do not know. */
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
  readonly prepared: PreparedPayload;
  readonly attempt: AttemptPayload;
  readonly overflow: OverflowPayload;
  readonly agent: AgentPayload;
  readonly reader: ReaderPayload;
  readonly mark: MarkPayload;
  readonly decision: DecisionPayload;
  readonly policy: PolicyPayload;
  readonly key: KeyPayload;
  readonly turn: TurnPayload;
  readonly call: CallPayload;
  readonly taken: TakenPayload;
  readonly erased: ErasedPayload;
}

export type PayloadKind = keyof Payloads;

/** The payload versions that this release writes and reads. Entries with a higher version are passed over. */
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
  prepared: 1,
  attempt: 1,
  overflow: 1,
  agent: 1,
  reader: 1,
  mark: 1,
  decision: 1,
  policy: 1,
  key: 1,
  turn: 1,
  call: 1,
  taken: 1,
  erased: 1,
};

/** A message, or a part of one: each tool result has its own entry, so that a decision can refer to it. */
export interface MessagePayload {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  /** The author. `command`: output of a command that the user ran. `host`: text from the program around the model. */
  readonly origin: "human" | "model" | "tool" | "command" | "host" | "summary";
  /** The source of the text. @default the source that `origin` implies */
  readonly provenance?: Provenance;
  /** The readers of the message. Progress, notices and errors are for the user only and are never sent. @default "everyone" */
  readonly audience?: "everyone" | "model" | "user";
  /** The provider's response id; all parts of a response share it. */
  readonly responseId?: string;
  /** The `request` entry that the message answers. */
  readonly answers?: number;
  readonly model?: string;
  /** The provider that wrote the response. */
  readonly provider?: string;
  /** Why the model stopped, if that affects the next request. `paused`: the response must be sent back unchanged. */
  readonly stop?: "paused";
  /**
   * `in-steps`: the log records each step of the calls in this response, so that another process can continue them.
   * @default not recorded: a call without a result may have run
   */
  readonly calls?: "in-steps";
  /** The place of the full text, if it was too large. The blocks then contain a preview. */
  readonly stored?: StoredContent;
}

/** Content outside the log, in a file of the session. */
export interface StoredContent {
  /** The file's name: the digest and an extension. Never a path, because the session's folder may move. */
  readonly file: string;
  readonly bytes: number;
  readonly lines: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly digest: string;
}

/** Content that the host adds for the model: a reminder, a file after a compaction, a memory. It is sent as part of a user message. */
export interface AttachmentPayload {
  /** The type of attachment, for accounting and clean-up. */
  readonly type: string;
  readonly blocks: readonly Block[];
  /** The source of the text. */
  readonly provenance: Provenance;
  /** The boundary that the attachment belongs to. It is shown while that boundary is in effect. @default no boundary */
  readonly of?: number;
}

/** The parts of a request besides the messages. An unchanged part refers to the entry that contains it. */
export interface ConfigurationPayload {
  readonly provider: string;
  readonly model: string;
  readonly system: Held<string>;
  readonly tools: Held<readonly ToolDefinition[]>;
  /** Provider request fields chosen by the caller (thinking, effort, ...), passed on unchanged. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Why the configuration changed. */
  readonly cause: string;
  /** Present if the configuration is another agent's, in an imported session. A rewind to it keeps the current configuration. */
  readonly provenance?: Provenance;
}

/** A value, or the entry that contains it. */
export type Held<Value> = { readonly value: Value } | { readonly heldBy: number };

/**
 * A request was prepared from all entries before this one. Later requests never order, merge or drop the sent content
 * differently. The entry is written before `prepare` returns the request.
 */
export interface RequestPayload {
  readonly maxTokens: number;
  readonly estimatedTokens: number;
  /** The source of the request. @default "main" */
  readonly source?: string;
  /** The newest earlier response of the same provider, for the provider's cache diagnostics. */
  readonly previousResponseId?: string;
  /** The requested cache lifetime, where the provider lets us choose. @default "5m" */
  readonly cacheTtl?: CacheTtl;
  /** The lifetime of the system prompt and the tools, if it is longer. @default `cacheTtl` */
  readonly headTtl?: "1h";
  readonly cache?: CacheFacts;
}

/** How long the provider caches a prompt. */
export type CacheTtl = "5m" | "1h";

/** The token counts of one response, in the same form for every provider. */
export interface UsagePayload {
  readonly responseId: string;
  /** The `request` entry of the response; absent for a call that was not made from this view. */
  readonly answers?: number;
  readonly model: string;
  /** Input tokens that were neither read from the cache nor written to it. */
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` with a lifetime of one hour. */
  readonly cacheWrite1hTokens?: number;
  /** Tokens deleted from the cached prompt at our request; not included in the counts above. @default 0 */
  readonly deletedTokens?: number;
  readonly outputTokens: number;
  /** The part of `outputTokens` spent on reasoning. */
  readonly reasoningTokens?: number;
  /** The source of the call. @default "main" */
  readonly source?: string;
  /** `interrupted`: the answer was stopped before its end. @default the answer is complete */
  readonly ending?: "interrupted";
  /** Which counts are estimates, because the provider had not reported them when the answer was stopped. @default none */
  readonly estimated?: "output" | "all";
  /**
   * `truncated`: the server silently read less than was sent. The counts give the right price, but not the size of the view.
   */
  readonly input?: "truncated";
  /** When the call was made; absent if a `request` entry has the time. */
  readonly madeAtMs?: number;
  /** The prices at that time; absent if a `request` entry has them, or if they are unknown. */
  readonly prices?: ModelPrices;
  /** The provider's cache diagnostics, if it sent any. */
  readonly cacheDiagnosis?: CacheDiagnosis;
  /** What the provider left out of the request at our request; not included in the counts above. */
  readonly appliedEdits?: AppliedEdits;
  /**
   * The provider compacted the conversation before it wrote the response. `before`: the counts are those of the compacted
   * conversation. `within`: the counts include the conversation before the compaction, so they do not show the new size.
   */
  readonly folded?: "before" | "within";
  /** What the ledger of a fork says about its response; only in the log of the fork's parent. */
  readonly fork?: ForkUse;
}

/** A message that a decision shows instead of other messages. */
export interface Replacement {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  readonly origin: MessagePayload["origin"];
  /** The source of the text; always present for an attachment. @default the source that `origin` implies */
  readonly provenance?: Provenance;
  /** The type of attachment, if the message is an attachment. It is then not sent as the user's own words. */
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

/** The estimated effect of a decision on the prompt cache. */
export interface DecisionCost {
  readonly shedTokens: number;
  readonly invalidatedPrefixTokens: number;
  readonly netUsd?: number;
}

/** Undoes a `replace` or a `boundary`: the range is shown as before. */
interface RestorePayload {
  /** The decision to undo, and its range. */
  readonly of: number;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  /** The kind of that decision. */
  readonly was: "replace" | "boundary";
}

/** A compaction: a `replace` at which reading the log starts. It carries the state that the covered entries had built up. */
export interface BoundaryPayload extends ReplacePayload {
  /** The content of the view after the boundary, in order, including the boundary's own replacement. */
  readonly outline: readonly Shown[];
  readonly state: BoundaryState;
  /** The request during whose answer the provider compacted the conversation. The answer follows the boundary. */
  readonly answers?: number;
  /** How the compaction was made; absent if the host replaced the range itself. */
  readonly compaction?: CompactionRecord;
}

/** A range of entries that is shown: unchanged, or as the decision `by` shows it. */
export interface Shown {
  readonly from: number;
  readonly to: number;
  readonly by?: number;
  /** `lost`: earlier content has changed, so thinking that is bound to it cannot be sent back. @default "intact" */
  readonly thinking?: "intact" | "lost";
}

interface BoundaryState {
  /** The `configuration` entry in effect. */
  readonly configuration: number;
  /** The state of the token estimator. */
  readonly calibration: unknown;
  /** The ledger: the spending on all branches, and its causes. */
  readonly ledger: unknown;
  /** The carried state: pins, notes, numbers of user messages, evidence, failures. */
  readonly standing: unknown;
}

/** Goes back to an earlier entry, the parent of this entry. The entries between them are on another branch from now on. */
export interface RewindPayload {
  readonly reason: string;
  /** The ledger at this point. It continues, because a rewind refunds nothing. */
  readonly ledger: unknown;
  /** The newest entry that both views show; 0 if there is none. */
  readonly sharedTo: number;
  /** The request at the end of the restored view. It may be sent again. */
  readonly request?: { readonly entry: number; readonly cache?: CacheFacts };
  /** Calls without a result in the restored view that had begun to run on the other branch. They may have taken effect. @default none */
  readonly begun?: readonly string[];
  /** The prepared summary that can still be used: everything that it covers is in the restored view, as it was. @default none */
  readonly prepared?: PreparedState | undefined;
}

/** The first entry of a fork's own log: its parent session, and the entry at which the fork starts. */
export interface ForkPayload {
  readonly session: string;
  readonly sequence: number;
  /** The hash of that entry. It proves that both logs contain the same conversation. */
  readonly hash: string;
  /** The source under which its requests and token counts are recorded. */
  readonly source: string;
  /**
   * The tools that the fork may use; calls to other tools are refused. The request still lists all tools, so that the prompt cache
   * matches. @default all
   */
  readonly allowedTools?: readonly string[];
  /**
   * The configuration that the fork begins with, if the parent had changed its configuration since its newest request. The fork then
   * leaves out the parent's later configurations. @default the newest configuration before the beginning of the fork
   */
  readonly configuration?: number;
  /** `own`: the parent had made no request, so there is no prompt to share. @default the parent's system prompt and tool list */
  readonly head?: "own";
  /** What the parent had left in the cache, in the form of a ledger. @default nothing */
  readonly ledger?: unknown;
}

/** A text that stays in view through every compaction, byte for byte. */
interface PinPayload {
  readonly text: string;
  /** The entry that the text was copied from, if any. */
  readonly of?: number;
  /** The source of the text. @default the host */
  readonly provenance?: Provenance;
}

interface UnpinPayload {
  /** The `pin` entry to remove. */
  readonly of: number;
}

/** One version of the session's notes. */
interface NotesPayload {
  readonly markdown: string;
  /** The newest entry that the notes cover. */
  readonly coveredTo: number;
}

/** A reader has processed the log up to an entry. */
interface ReaderPayload {
  /** The name of the reader. */
  readonly name: string;
  readonly coveredTo: number;
}

/** A fact that the host recorded. Rules of a policy see the newest value of each name. */
interface MarkPayload {
  readonly name: string;
  /** A JSON value. */
  readonly value: unknown;
}

/**
 * The following entries were appended under a key. A second append with the same key appends nothing. The kind of the entry is
 * `key:` and the key's digest, so that the store finds it without reading the log.
 */
interface KeyPayload {
  readonly key: string;
  /** The number of content entries that directly follow. */
  readonly entries: number;
}

/**
 * The payload of an entry was erased; every branch shows `stub` instead. The kind of this entry is `erased:` and the number of the
 * erased entry, so that the store finds it without reading the log.
 */
export type ErasedPayload =
  | { readonly was: "message"; readonly entry: number; readonly stub: MessagePayload }
  | { readonly was: "attachment"; readonly entry: number; readonly stub: AttachmentPayload };
