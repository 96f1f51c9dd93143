import type { SessionCost } from "../cache/cost.ts";
import type { LedgerLine, LedgerTotals } from "../cache/ledger.ts";
import type { Hooks } from "../hooks/hook.ts";
import type { ToolCall, ToolResult } from "../log/block.ts";
import type { AgentPayload, Replacement } from "../log/payload.ts";
import type { WindowSource } from "../providers/models.ts";
import type { Overflow } from "../providers/overflow.ts";
import type { Provider, ResponseContent } from "../providers/provider.ts";
import type { Happening, SessionEvent } from "../session-event.ts";
import type { ResolvedSettings } from "../settings/resolve-settings.ts";
import type { AgentInFlight, AgentStepOutcome } from "../stages/compact/agents-in-flight.ts";
import type { Pin } from "../stages/compact/standing.ts";
import type { SnipTarget } from "../stages/plan-snip.ts";
import type { Recalled, RecallRequest } from "../stages/recall/recall.ts";
import type { ResultFiles } from "../stores/results.ts";
import type { Store } from "../stores/store.ts";
import type { Budget, BudgetLevel } from "../tokens/budget.ts";
import type { FeatureOptions } from "../tokens/features.ts";
import type { Accounting, AccountOptions } from "../view/account.ts";
import type { Truncation } from "../view/find-truncation.ts";
import type { AppendOptions } from "./append/append-once.ts";
import type { WantedConfiguration } from "./change-configuration.ts";
import type { Clock } from "./clock.ts";
import type { ApproveCompaction, CompactionOutcome, CompactOptions, Recovery } from "./compact/compact-options.ts";
import type { CompactionPoint } from "./compact/compaction-point.ts";
import type { ExplainedBoundary } from "./compact/explain.ts";
import type { Surroundings } from "./compact/surroundings.ts";
import type { UsageOfOthers } from "./enter-usage.ts";
import type { Answer, AskOptions, ForkOptions } from "./fork/fork-options.ts";
import type { InterruptedAnswer, InterruptionOptions, RecordedInterruption } from "./interrupted-answer.ts";
import type { KeepWarmOptions, KeptWarm } from "./keep-warm.ts";
import type { NotesOptions, NotesUpdateOutcome } from "./notes/notes-options.ts";
import type { SessionTakeover } from "./open-writer.ts";
import type { SettingsOptions } from "./settings-source.ts";
import type { NewContent } from "./to-contents.ts";

export interface SessionOptions<Request, Response, Message>
  extends WantedConfiguration,
    FeatureOptions,
    SettingsOptions {
  readonly store: Store;
  readonly provider: Provider<Request, Response, Message>;
  /** @default the one that the session's log has; a new session needs one */
  readonly model?: string;
  /** The session to go on with, or the name of a new one. @default a new random id */
  readonly id?: string;
  /**
   * How long an answer may be, in tokens; less is asked for when the window has no more room. @default what the model can
   * write, up to 20,000, which is what client libraries allow without streaming; for `query` and
   * `prepare({ answer: "streamed" })` up to 32,000, or a quarter of a window below 128,000
   */
  readonly maxOutputTokens?: number;
  /**
   * Where the limits of models come from. `if-unknown`: the provider's models endpoint is asked for those that no table has.
   * `asked`: for each model that is used. `table`: for none. @default "if-unknown"
   */
  readonly modelFacts?: "if-unknown" | "asked" | "table";
  /** Who writes, for whoever finds the session in use. @default "process" and its number, or "a runtime without processes" */
  readonly owner?: string;
  /**
   * If another process has the session open: `if-free` refuses with a `SessionBusyError`, `{ waitMs }` waits so long for it to
   * be closed or to fall silent and refuses then, `always` takes it over, and what the other would still write is lost.
   * @default "if-free"
   */
  readonly takeover?: SessionTakeover;
  /** Where results go that are too large for the conversation, if not where the store keeps them. @default store.results */
  readonly files?: ResultFiles;
  /**
   * What is to be done when the session starts and ends; `palimpsest/hooks` makes them. What they fail at is told to
   * `onEvent`, and nothing is lost by it. @default none
   */
  readonly hooks?: Hooks;
  /**
   * Is told what happens, once it is in the log; `palimpsest/telemetry` makes spans and metrics of it. What it throws is not
   * heard. @default nobody is told
   */
  readonly onEvent?: (event: SessionEvent) => void;
  /** The session's notes: their template, what the model is told, where they are written. @default our own, in the log */
  readonly notes?: NotesOptions;
  /** What stands at the head, and what is put back after a compaction: files, skills, todos, plans. @default nothing */
  readonly surroundings?: Surroundings;
  /** What its SessionStart hooks are told if it is new: `clear` if it takes the place of another. @default "startup" */
  readonly startedBy?: "startup" | "clear";
  /**
   * Asks the user before a compaction, where `compaction.auto` is `ask`. Who answers "not-now" is asked again after their next
   * message. A port that throws has not said yes. @default nobody is asked: the event `compaction-due` tells it, once in a turn
   */
  readonly approveCompaction?: ApproveCompaction;
  /** `alone`: the model works by itself, and nobody answers questions. @default "attended" */
  readonly attendance?: "attended" | "alone";
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** A range of entries, both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface PrepareOptions {
  /** How the answer is sent for. A streamed one may be longer, where the session sets no limit. @default "whole" */
  readonly answer?: "streamed" | "whole";
  /** Ends a compaction that comes before the request. There is no request then: its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** What a response says, in words that fit every provider. */
export interface RecordedResponse extends Omit<ResponseContent, "blocks"> {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Calls that a fork may not make: they are answered already, by a refusal. */
  readonly refusedCalls?: readonly ToolCall[];
  /** The server has taken more than fits and said nothing: what it answered, it answered to a part of the request. */
  readonly overflow?: Overflow;
  /** The server has read less than it was sent and said nothing. The next request is made to fit what it read. */
  readonly truncation?: Truncation;
}

/** One conversation. The only object with a state; everything it knows is in its log. */
export interface Session<Request, Response> {
  readonly id: string;
  /** Aborted when it is closed; that of a fork also when its parent's is. */
  readonly signal: AbortSignal;
  /** The number of the newest entry: a point that can be gone back to. */
  readonly newestEntry: number;
  /**
   * Appends content, all of it or nothing; resolves to its entry numbers when it is kept. With a `key` that was used before,
   * nothing is appended, and it resolves to the numbers of the first time.
   */
  append(content: NewContent | readonly NewContent[], options?: AppendOptions): Promise<readonly number[]>;
  /**
   * Appends what a tool puts out, while it puts it out: in constant memory, however much it is.
   * @param status a function is asked when all of it is there
   */
  appendStream(
    callId: string,
    chunks: AsyncIterable<Uint8Array | string>,
    status?: ToolResult["status"] | (() => ToolResult["status"]),
  ): Promise<readonly number[]>;
  /** Calls of the newest response that have no result yet. After a crash, any of them may have run. */
  openCalls(): readonly ToolCall[];
  /** The next request, ready for the provider's client. Written down before it is handed out, so that it stays the same. */
  prepare(options?: PrepareOptions): Promise<Request>;
  /**
   * Appends a response of the provider with what it used. A stream's final message is one.
   * @param request what it answers, as `prepare` returned it. @default the newest that was handed out
   */
  record(response: Response, request?: Request): Promise<RecordedResponse>;
  /**
   * Records an answer that was stopped before it was whole: what was said stays in view, with a marker behind it, and its
   * price is entered in the ledger, by what the provider reported or else by an estimate. Thinking and calls that were not
   * finished are left out: no provider takes them back.
   * @param request what it answers, as `prepare` returned it. @default the newest that was handed out
   */
  recordInterrupted(
    answer: InterruptedAnswer,
    request?: Request,
    options?: InterruptionOptions,
  ): Promise<RecordedInterruption>;
  /** Changes what is sent beside the messages, from the next request on. */
  configure(wanted: WantedConfiguration): Promise<void>;
  /** Shows a range of entries as something else. The entries stay in the log. Resolves to the decision's number. */
  replace(range: Range, replacements: readonly Replacement[], reason: string): Promise<number>;
  /** Like `replace`, and the session is from now on read from here: for summaries of all that came before. */
  fold(range: Range, replacements: readonly Replacement[], reason: string): Promise<number>;
  /**
   * Folds the conversation into a summary. It is tried from the cheapest way to one that needs no model, so that it comes
   * about as long as what cannot be folded leaves room. Goes on beside the session: what is appended meanwhile stays.
   */
  compact(options?: CompactOptions): Promise<CompactionOutcome>;
  /**
   * After a call that failed: if the request was too long, makes the conversation smaller; if an image or a document was
   * refused, shows a stub in its place. Says whether to try again.
   */
  recover(error: unknown, signal?: AbortSignal): Promise<Recovery>;
  /** The session's notes as markdown: the bare template, as long as nothing was noted. */
  notes(): Promise<string>;
  /** Brings the notes up to date now, by a call on the cached prompt. By themselves they are when it pays. */
  updateNotes(options?: { readonly signal?: AbortSignal }): Promise<NotesUpdateOutcome>;
  /** Keeps a text, or that of an entry, in view through every compaction. Resolves to the pin's number. */
  pin(what: string | number): Promise<number>;
  unpin(pin: number): Promise<void>;
  pins(): readonly Pin[];
  /** Agents that were started from here: those that run, and the newest of those that have ended. */
  agents(): readonly AgentInFlight[];
  /**
   * Enters a step of an agent, together with what the model is told of it: both or neither. A step that has been entered
   * before, or that belongs to work which was taken back, changes nothing.
   */
  enterAgent(step: AgentPayload, ...told: readonly NewContent[]): Promise<AgentStepOutcome>;
  /** Enters in the ledger what was used for this session by a call that its log does not hold: an agent's, for instance. */
  enterUsage(used: UsageOfOthers): Promise<void>;
  /** How far somebody has been through the log, as `setMark` said; 0 if nowhere. Outlives the process; a rewind takes it back. */
  mark(name: string): number;
  setMark(name: string, coveredTo: number): Promise<void>;
  /** Takes messages, or one block of one, out of the view; a stub says what was there. `restore` brings it back. */
  snip(target: SnipTarget, reason?: string): Promise<number>;
  /** Every boundary there was, the newest first: what went in, what came out, how and at what price. */
  explain(limit?: number): Promise<readonly ExplainedBoundary[]>;
  /** Takes back a decision: the range is shown as before. */
  restore(decision: number, reason?: string): Promise<void>;
  /** Goes back to an earlier entry; what came after it stays in the log, on a branch of its own. */
  rewind(to: number, reason?: string): Promise<void>;
  /** Brings back what was stored, cleared or folded, by the number of its entry, or finds it by words. */
  recall(request: RecallRequest): Promise<Recalled>;
  /** The hooks it was opened with, for who runs its turns. Whoever listens is told how they went. */
  readonly hooks: Hooks;
  /** Tells this listener, too, what happens from now on. Returns what ends it. */
  listen(listener: (event: SessionEvent) => void): () => void;
  /** Tells whoever listens, in this session's name: for those who work beside it, like extractions, dreams and agents. */
  tell(happening: Happening): void;
  /** The settings that hold for this turn, and values that were given and could not be used. */
  settings(): ResolvedSettings;
  /** How full the window is. */
  size(): SessionSize;
  /** Files whose newest read the model still sees in whole, with its entry: for tools that edit only what was read. */
  filesRead(): ReadonlyMap<string, number>;
  /** Texts of the attachments of a type that the model sees now, in order: for hosts that say nothing twice. */
  attached(type: string): readonly string[];
  /**
   * A session of its own that begins with all that this one has sent: the same bytes, so that the provider's cache serves
   * both. Whatever happens in it leaves this one as it is; what it uses is entered in both ledgers.
   */
  fork(options: ForkOptions): Promise<Session<Request, Response>>;
  /** Asks the model something beside the conversation, on a fork that is forgotten afterwards. No tool is run for it. */
  ask(question: string, options: AskOptions): Promise<Answer>;
  /** What all responses have used. */
  usage(): LedgerTotals;
  /** What it has cost, what of that was lost to which cause, and what the next request will cost, warm and cold. */
  cost(): Promise<SessionCost>;
  /** Every response with its price, what a perfect cache would have saved, and why it did not. Reads the whole log. */
  ledger(): AsyncGenerator<LedgerLine>;
  /** What fills the window. */
  accounting(options?: AccountOptions): Accounting;
  /**
   * Keeps the newest request's prompt in the provider's cache through a pause, by pings that the settings allow and that pay.
   * Resolves when there are to be no more, when the signal is aborted, or with the next `prepare`.
   */
  keepWarm(options: KeepWarmOptions): Promise<KeptWarm>;
  /** The whole log as lines of JSON. */
  export(): AsyncGenerator<string>;
  close(): Promise<void>;
}

/** The size of the view, and the sizes at which something happens. */
export interface SessionSize extends Budget {
  /** What was reported last, and a padded estimate of what came after. */
  readonly tokens: number;
  /** Of the way to the next compaction; where nothing is compacted by itself, to where the room ends. */
  readonly percentLeft: number;
  readonly level: BudgetLevel;
  /** Who says how large the window is. `guessed`: nobody: give it to the provider (`models`) or in `window.tokens`. */
  readonly known: WindowSource;
  /** Where the conversation will be compacted next. */
  readonly compaction: CompactionPoint;
}
