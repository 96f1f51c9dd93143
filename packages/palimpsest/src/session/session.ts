// The interface of a session, as hosts use it.

import type { ExplainedBoundary } from "../compact/explain.ts";
import type { CompactionOutcome, CompactOptions, Recovery } from "../compact/outcome.ts";
import type { SessionCost } from "../cost/cost.ts";
import type { LedgerLine, LedgerTotals } from "../cost/ledger.ts";
import type { Answer, AskOptions, ForkOptions } from "../forks/forks.ts";
import type { Hooks } from "../hooks/hook.ts";
import type { Part, ToolCall } from "../log/block.ts";
import type { NewContent, StreamedResult } from "../log/messages.ts";
import type { Replacement, ToolDefinition } from "../log/payload.ts";
import type { AgentPayload, CallPayload, SaidBy, TurnPayload } from "../log/payload-turn.ts";
import type { Json } from "../policy/policy.ts";
import type { Provider } from "../providers/provider.ts";
import type { Recalled, RecallRequest } from "../recall/recall.ts";
import type { Tool } from "../schema/tool.ts";
import type { NewEvent, SessionEvent } from "../session-event.ts";
import type { ResolvedSettings } from "../settings/resolve.ts";
import type { AgentInFlight, AgentStepOutcome, Pin } from "../state/carried.ts";
import type { SessionNotes, WantedConfiguration } from "../state/options.ts";
import type { SessionSize } from "../state/ports.ts";
import type { RecordedResponse, RecordOptions, UsageOfOthers } from "../state/responses.ts";
import type { Accounting, AccountOptions } from "../view/account.ts";
import type { NextInTurn } from "../view/turn.ts";
import type { AppendOptions } from "./append.ts";
import type { ExplainedDecision } from "./before-request.ts";
import type { DeferredTools } from "./configure.ts";
import type { SnipTarget } from "./decisions.ts";
import type { Erased } from "./erase.ts";
import type { KeepWarmOptions, KeptWarm } from "./keep-warm.ts";
import type { MessagePage, MessagesOptions } from "./list-messages.ts";
import type { InterruptedAnswer, InterruptionOptions, RecordedInterruption } from "./record-interrupted.ts";
import type { Synced, SyncMessage } from "./sync/conversation.ts";

/** The part of the session's provider that a loop needs. */
interface SessionProvider<Request, Response> extends Pick<Provider<Request, Response>, "name" | "send"> {
  /**
   * Keeps the newest prompt in the provider's cache during a pause, with pings that the settings allow and that save money.
   * Resolves when no more pings will be sent, when the signal is aborted, or with the next `prepare`.
   */
  keepWarm(options: KeepWarmOptions): Promise<KeptWarm>;
}

/** The view: the part of the conversation that the model sees now. */
export interface SessionView {
  /** Returns the size of the view and the thresholds. */
  size(): SessionSize;
  /** Returns the tokens of each kind of content in the view. */
  accounting(options?: AccountOptions): Accounting;
  /** Returns the calls of the newest response that have no result. After a crash, any of them may have run. */
  openCalls(): readonly ToolCall[];
  /** Returns the tools that the model sees. Tools made with `tool()` can be run; the others are definitions only. */
  tools(): readonly (Tool | ToolDefinition)[];
  /**
   * Returns the tools that are in the prompt with only a name and one line, and those of them that the conversation has
   * loaded.
   */
  deferredTools(): DeferredTools;
  /** Returns the content of a `tool_search` result, for a custom loop. `query` answers such calls itself. */
  searchTools(input: unknown): readonly Part[];
  /**
   * Returns the files whose newest read is fully in view, each with its entry: for tools that edit only files that were
   * read.
   */
  filesRead(): ReadonlyMap<string, number>;
  /** Returns the texts of the attachments of these types that are in view, in order, so that a host does not repeat them. */
  attached(...types: string[]): readonly string[];
}

/** Operations on the entries of the session: rewind, replace ranges, restore, explain, export. */
export interface SessionHistory {
  /** The number of the newest entry. `rewind` can go back to it later. */
  readonly newestEntry: number;
  /** Goes back to an earlier entry. Later entries stay in the log, on their own branch. */
  rewind(to: number, reason?: string): Promise<void>;
  /**
   * Shows other content in place of a range of entries. The entries stay in the log. Resolves to the decision's number.
   */
  replace(range: Range, replacements: readonly Replacement[], reason: string): Promise<number>;
  /** Like `replace`, but later reads start here: for summaries of everything before. */
  fold(range: Range, replacements: readonly Replacement[], reason: string): Promise<number>;
  /** Removes messages, or one block of a message, from the view and leaves a stub. `restore` brings them back. */
  snip(target: SnipTarget, reason?: string): Promise<number>;
  /** Undoes a decision: the range is shown as before. */
  restore(decision: number, reason?: string): Promise<void>;
  /**
   * Explains the newest decision about the window, with every proposal, also if the decision was to do nothing. If this process has
   * not prepared a request yet, explains what would be decided now.
   */
  decision(): ExplainedDecision;
  /** Lists every compaction, newest first: its input, its result, how it was made and its price. */
  explain(limit?: number): Promise<readonly ExplainedBoundary[]>;
  /** Exports the whole log as lines of JSON. */
  export(): AsyncGenerator<string>;
}

/** Texts that stay in view through every compaction. */
interface SessionPins {
  /** Pins a text, which the model sees at once, or the text of an entry. Resolves to the pin's entry number. */
  add(what: string | number): Promise<number>;
  remove(pin: number): Promise<void>;
  list(): readonly Pin[];
}

/** Tokens and money. */
interface SessionLedger {
  /** Returns the token counts of all responses together. */
  totals(): LedgerTotals;
  /**
   * Computes the cost of the session, the cost of each cause of cache misses, and the cost of the next request with and
   * without the cache.
   */
  cost(): Promise<SessionCost>;
  /**
   * Lists every response with its price, the savings of a perfect cache, and the cause of the difference. Reads the
   * whole log.
   */
  lines(): AsyncGenerator<LedgerLine>;
  /** Records the token counts of a call that is not in this session's log, for example a call of an agent. */
  enter(used: UsageOfOthers): Promise<void>;
}

/** The session's events, and the host's hooks. */
export interface SessionEvents {
  /** Adds a listener for all events from now on. Returns a function that removes it. */
  listen(listener: (event: SessionEvent) => void): () => void;
  /** Emits an event for this session: for extractions, dreams, agents and other background work. */
  emit(newEvent: NewEvent): void;
  /** Runs the session's hooks, for the code that runs its turns. Emits `hooks-ran`. */
  runHooks: Hooks["run"];
}

/** State of background work in the session's log: agents, memory extraction. Hosts rarely need it. */
export interface SessionBackground {
  /** Returns the agents that this session started: the running ones, and the newest finished ones. */
  agents(): readonly AgentInFlight[];
  /**
   * Records a status change of an agent together with the content for the model: both or neither. Does nothing if the
   * change was recorded before, or if its work was undone.
   */
  enterAgent(step: AgentPayload, ...told: readonly NewContent[]): Promise<AgentStepOutcome>;
  /**
   * Returns the entry up to which the named reader has processed the log, as set by `setReadTo`; 0 at the start. A rewind
   * goes back to the earlier entry.
   */
  readTo(name: string): number;
  setReadTo(name: string, coveredTo: number): Promise<void>;
}

/** A range of entries, both ends included. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** An answer to a question for permission. */
export interface CallDecision extends SaidBy {
  readonly kind: "allow" | "deny";
}

/** `not-waiting`: the call does not wait for permission, or the question is already answered. Nothing was written. */
export type CallDecided = "recorded" | "not-waiting";

/** An item of a numbered queue. */
export interface QueuedContent {
  /** The name of the queue. Each queue has its own numbers. */
  readonly queue: string;
  /** The number of the item. Numbers must rise, but gaps are allowed. */
  readonly number: number;
  readonly content: NewContent | readonly NewContent[];
  /** The W3C trace context of the item. A process that continues the turn continues its trace. @default none */
  readonly traceparent?: string;
  /**
   * Calls that others made for this session, such as its agents. The ledger counts them once, with the item. @default
   * none
   */
  readonly used?: readonly UsageOfOthers[];
}

/** The newest item of a queue that is in the log. */
export type TakenItem = Pick<QueuedContent, "number" | "traceparent">;

/** `known`: this number or a higher one was appended before. Nothing was written. */
export type TakenIn = "taken" | "known";

/** A call that was answered because its turn was stopped. `unknown`: the call had begun and may have taken effect. */
export interface StoppedCall {
  readonly call: ToolCall;
  readonly how: "not-run" | "unknown";
}

/** The turn of a session: its next step and its end. `stepTurn` and `query` run it. */
export interface SessionTurn<Request> {
  /**
   * Returns the next step of the turn: calls that have no result yet, a request, or nothing. The step follows from the
   * log alone, so any process that opens the session gets the same answer. `stepTurn` runs the step.
   */
  next(): NextInTurn;
  /**
   * Records an answer to a question for permission that ended a turn (`waiting`). The next step acts on it, here or in
   * another process. If a question is answered twice, the first answer counts.
   */
  decide(callId: string, decision: CallDecision): Promise<CallDecided>;
  /**
   * Ends the turn for the user, whether a process runs it or not: answers its open calls, so that no process runs them
   * later. Resolves to those calls. To stop a turn that runs in this process, abort its `signal`.
   */
  stop(said?: SaidBy): Promise<readonly StoppedCall[]>;
  /**
   * Appends an item of a numbered queue together with its number. An item is appended once, however often it is
   * delivered, even after a rewind. Deliver items in rising order.
   */
  takeIn(item: QueuedContent): Promise<TakenIn>;
  /**
   * Returns the newest appended item of a queue, even if a rewind has undone it. Undefined if the queue has no items.
   */
  taken(queue: string): Promise<TakenItem | undefined>;
  /**
   * Records an answer that was stopped before its end. Its text stays in view, followed by a marker. The ledger counts
   * its price, as the provider reported it or as an estimate. Thinking and unfinished calls are left out, because no
   * provider accepts them back.
   * @param request the request of this answer, as `prepare` returned it. @default the newest request
   */
  recordInterrupted(
    answer: InterruptedAnswer,
    request?: Request,
    options?: InterruptionOptions,
  ): Promise<RecordedInterruption>;
  /** Records how far a call has come, for the code that runs turns. */
  enterCall(step: CallPayload): Promise<void>;
  /**
   * Records a step that does not follow from messages, together with content for the model, both or neither: for the
   * code that runs turns.
   */
  enterStep(step: TurnPayload, ...told: readonly NewContent[]): Promise<void>;
}

/**
 * One conversation. It is the only object with state, and all of its state is in its log.
 *
 * Members for the conversation are on the session itself; the others are in groups:
 *
 *     await session.append("Fix the test.");
 *     await session.record(await client.messages.create(await session.prepare()));
 *     session.view.size().percentLeft;            // the part that the model sees: size, open calls, tools
 *     session.turn.next();                        // the next step of the turn; answers to questions, queues
 *     await session.history.rewind(12);           // entries: go back, replace, explain, export
 *     await session.pins.add("Never push.");      // stays through every compaction
 *     await session.notes.read();                 // the session's notes
 *     (await session.ledger.cost()).priceUsd;     // tokens and money
 *     session.events.listen(console.log);         // events, and the host's hooks
 *     session.provider.send(request);             // the provider, for a custom loop
 *     session.background.agents();                // for background work
 *
 * A function that accepts any session takes `Session`; `prepare` and `record` are then untyped. The session that `openSession`
 * returns has the types of its provider.
 */
// biome-ignore lint/suspicious/noExplicitAny: with `unknown` a `Session` could not pass its request to any client.
export interface Session<Request = any, Response = any> {
  readonly id: string;
  /** Aborted when the session is closed. The signal of a fork is also aborted when its parent is closed. */
  readonly signal: AbortSignal;
  readonly provider: SessionProvider<Request, Response>;
  readonly view: SessionView;
  readonly turn: SessionTurn<Request>;
  readonly history: SessionHistory;
  readonly pins: SessionPins;
  readonly notes: SessionNotes;
  readonly ledger: SessionLedger;
  readonly events: SessionEvents;
  readonly background: SessionBackground;
  /**
   * Appends content, all of it or nothing. Resolves to the entry numbers when the content is stored. If `key` was used before,
   * nothing is appended, and it resolves to the numbers of the first call.
   */
  append(content: NewContent | readonly NewContent[], options?: AppendOptions): Promise<readonly number[]>;
  /** Appends the output of a tool while the tool writes it: `toolResult(callId, stream)`. Uses constant memory for any size. */
  append(streamed: StreamedResult): Promise<readonly number[]>;
  /**
   * Adopts a framework's whole list of messages: appends its new tail, and goes back to the last common message if one
   * was edited or deleted. Messages that come back altered under the same ids stay as they were sent. Idempotent.
   */
  sync(messages: readonly SyncMessage[]): Promise<Synced>;
  /**
   * Lists the newest 50 messages as the user saw them, including compacted ones, oldest first. For earlier messages, pass
   * `earlier` of the page as `before`.
   */
  messages(options?: MessagesOptions): Promise<MessagePage>;
  /** Erases the content of an entry for good: from the log, its results and the search index. The model sees a stub. */
  erase(entry: number): Promise<Erased>;
  /** Prepares the next request for the provider's client. It is recorded in the log first, so that it never changes. */
  prepare(options?: PrepareOptions): Promise<Request>;
  /**
   * Appends a response from the provider with its token counts. For a stream, pass the final message.
   * @param request the request of this response, as `prepare` returned it. @default the newest request
   */
  record(response: Response, request?: Request, options?: RecordOptions): Promise<RecordedResponse>;
  /**
   * Handles a failed call. If the request was too long, compacts the conversation. If an image or a document was
   * refused, shows a stub instead. Returns whether to try again.
   */
  recover(error: unknown, signal?: AbortSignal): Promise<Recovery>;
  /**
   * Changes model, system prompt, tools or parameters, from the next request on. A fork keeps its system prompt and its tool
   * list: `tools` are then the ones that it can run.
   */
  configure(wanted: WantedConfiguration): Promise<void>;
  /**
   * Records a fact for the rules of the policy, such as `mark("ticket", "closed")`. Rules see the newest value of each name. Resolves
   * to the number of the entry. `value` is JSON of at most 10,000 characters.
   */
  mark(name: string, value: Json): Promise<number>;
  /** Returns the settings of this turn, and the values that are invalid. */
  settings(): ResolvedSettings;
  /**
   * Compacts the conversation into a summary. Tries the cheapest method first; the last one needs no model. Fails only
   * if the content that cannot be compacted leaves no room. The session stays usable during the compaction, and content
   * that you append stays.
   */
  compact(options?: CompactOptions): Promise<CompactionOutcome>;
  /** Reads content that was stored, cleared or compacted by its entry number, or searches it by words. */
  recall(request: RecallRequest): Promise<Recalled>;
  /**
   * Opens a second session that starts with the same bytes, so that both share the provider's cache. The system prompt and
   * the tool list of the fork are those of the newest request of this session. Does not change this session, except that
   * both ledgers count the fork's usage.
   */
  fork(options: ForkOptions): Promise<Session<Request, Response>>;
  /** Asks the model a question outside the conversation, on a temporary fork. It runs no tools. */
  ask(question: string, options: AskOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface PrepareOptions {
  /** How you receive the answer. A streamed answer may be longer, unless the session sets a limit. @default "whole" */
  readonly answer?: "streamed" | "whole";
  /** Aborts a compaction that runs before the request. `prepare` then throws the signal's reason. */
  readonly signal?: AbortSignal;
}
