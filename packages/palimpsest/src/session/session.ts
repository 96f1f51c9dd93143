import type { ResolvedSettings } from "../settings/resolve-settings.ts";
import type { Recalled, RecallRequest } from "../stages/recall/recall.ts";
import type { AppendOptions } from "./append/append-once.ts";
import type { WantedConfiguration } from "./change-configuration.ts";
import type { CompactionOutcome, CompactOptions, Recovery } from "./compact/compact-options.ts";
import type { Erased } from "./erase/erase.ts";
import type { Answer, AskOptions, ForkOptions } from "./fork/fork-options.ts";
import type { InterruptedAnswer, InterruptionOptions, RecordedInterruption } from "./interrupted-answer.ts";
import type { MessagePage, MessagesOptions } from "./message-list/session-message.ts";
import type { RecordedResponse } from "./recorded-response.ts";
import type {
  SessionBackground,
  SessionEvents,
  SessionHistory,
  SessionLedger,
  SessionNotes,
  SessionPins,
  SessionProvider,
  SessionView,
} from "./session-groups.ts";
import type { StreamedResult } from "./streamed-result.ts";
import type { Synced, SyncMessage } from "./sync/sync-message.ts";
import type { NewContent } from "./to-contents.ts";

/**
 * One conversation. The only object with a state; everything it knows is in its log.
 *
 * The conversation itself is on top; what belongs together is in a group:
 *
 *     await session.append("Fix the test.");
 *     await session.record(await client.messages.create(await session.prepare()));
 *     session.view.size().percentLeft;            // what the model sees: size, open calls, tools
 *     await session.history.rewind(12);           // entries: go back, replace, explain, export
 *     await session.pins.add("Never push.");      // stays through every compaction
 *     await session.notes.read();                 // the session's notes
 *     (await session.ledger.cost()).priceUsd;     // tokens and money
 *     session.events.listen(console.log);         // what happens, and the host's hooks
 *     session.provider.send(request);             // the provider, for a loop of your own
 *     session.background.agents();                // for work beside the conversation
 *
 * A function that takes any session takes `Session`; `prepare` and `record` then take and give anything. The session that
 * `openSession` returns has its provider's types.
 */
// biome-ignore lint/suspicious/noExplicitAny: with `unknown` a `Session` could not pass its request to any client.
export interface Session<Request = any, Response = any> {
  readonly id: string;
  /** Aborted when it is closed; that of a fork also when its parent's is. */
  readonly signal: AbortSignal;
  readonly provider: SessionProvider<Request, Response>;
  readonly view: SessionView;
  readonly history: SessionHistory;
  readonly pins: SessionPins;
  readonly notes: SessionNotes;
  readonly ledger: SessionLedger;
  readonly events: SessionEvents;
  readonly background: SessionBackground;
  /**
   * Appends content, all of it or nothing; resolves to its entry numbers when it is kept. With a `key` that was used before,
   * nothing is appended, and it resolves to the numbers of the first time.
   */
  append(content: NewContent | readonly NewContent[], options?: AppendOptions): Promise<readonly number[]>;
  /** Appends what a tool puts out, while it puts it out: `toolResult(callId, stream)`. In constant memory, however much it is. */
  append(streamed: StreamedResult): Promise<readonly number[]>;
  /**
   * Adopts a framework's whole list of messages: appends its new tail, keeps what was sent as it was sent where it comes back
   * altered under the same ids, and goes back where a message was edited or deleted. Idempotent.
   */
  sync(messages: readonly SyncMessage[]): Promise<Synced>;
  /** Lists the conversation as the user lived it, what was compacted away included, a page at a time, newest page first. */
  messages(options?: MessagesOptions): Promise<MessagePage>;
  /** Erases what an entry says, for good: from the log, its results and the search index. The model sees a stub. */
  erase(entry: number): Promise<Erased>;
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
  /**
   * After a call that failed: if the request was too long, makes the conversation smaller; if an image or a document was
   * refused, shows a stub in its place. Says whether to try again.
   */
  recover(error: unknown, signal?: AbortSignal): Promise<Recovery>;
  /** Changes what is sent beside the messages, from the next request on. */
  configure(wanted: WantedConfiguration): Promise<void>;
  /** The settings that hold for this turn, and values that were given and could not be used. */
  settings(): ResolvedSettings;
  /**
   * Folds the conversation into a summary. It is tried from the cheapest way to one that needs no model, so that it comes
   * about as long as what cannot be folded leaves room. Goes on beside the session: what is appended meanwhile stays.
   */
  compact(options?: CompactOptions): Promise<CompactionOutcome>;
  /** Brings back what was stored, cleared or folded, by the number of its entry, or finds it by words. */
  recall(request: RecallRequest): Promise<Recalled>;
  /**
   * A session of its own that begins with all that this one has sent: the same bytes, so that the provider's cache serves
   * both. Whatever happens in it leaves this one as it is; what it uses is entered in both ledgers.
   */
  fork(options: ForkOptions): Promise<Session<Request, Response>>;
  /** Asks the model something beside the conversation, on a fork that is forgotten afterwards. No tool is run for it. */
  ask(question: string, options: AskOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface PrepareOptions {
  /** How the answer is sent for. A streamed one may be longer, where the session sets no limit. @default "whole" */
  readonly answer?: "streamed" | "whole";
  /** Ends a compaction that comes before the request. There is no request then: its reason is thrown. */
  readonly signal?: AbortSignal;
}
