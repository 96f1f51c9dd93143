import type { Answer, AskOptions, ForkOptions } from "../forks/options.ts";
import type { ResolvedSettings } from "../settings/resolve.ts";
import type { Recalled, RecallRequest } from "../stages/recall/recall.ts";
import type { AppendOptions } from "./append/append-once.ts";
import type { CompactionOutcome, CompactOptions, Recovery } from "./compact/compact-options.ts";
import type { Erased } from "./erase.ts";
import type { MessagePage, MessagesOptions } from "./message-list/session-message.ts";
import type { SessionNotes } from "./notes/notes-options.ts";
import type { RecordedResponse, RecordOptions } from "./recorded-response.ts";
import type {
  SessionBackground,
  SessionEvents,
  SessionHistory,
  SessionLedger,
  SessionPins,
  SessionProvider,
  SessionView,
} from "./session-groups.ts";
import type { SessionTurn } from "./session-turn.ts";
import type { StreamedResult } from "./streamed-result.ts";
import type { Synced, SyncMessage } from "./sync/sync-message.ts";
import type { NewContent } from "./to-contents.ts";
import type { WantedConfiguration } from "./wanted-configuration.ts";

/**
 * One conversation. It is the only object with state, and all of its state is in its log.
 *
 * Members for the conversation are on the session itself; the others are in groups:
 *
 *     await session.append("Fix the test.");
 *     await session.record(await client.messages.create(await session.prepare()));
 *     session.view.size().percentLeft;            // what the model sees: size, open calls, tools
 *     session.turn.next();                        // what the turn needs next; answers to questions, queues
 *     await session.history.rewind(12);           // entries: go back, replace, explain, export
 *     await session.pins.add("Never push.");      // stays through every compaction
 *     await session.notes.read();                 // the session's notes
 *     (await session.ledger.cost()).priceUsd;     // tokens and money
 *     session.events.listen(console.log);         // what happens, and the host's hooks
 *     session.provider.send(request);             // the provider, for a loop of your own
 *     session.background.agents();                // for work beside the conversation
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
   * Adopts a framework's whole list of messages: appends its new tail, keeps what was sent as it was sent where it comes back
   * altered under the same ids, and goes back where a message was edited or deleted. Idempotent.
   */
  sync(messages: readonly SyncMessage[]): Promise<Synced>;
  /** Lists the conversation as the user saw it, including compacted messages, one page at a time, newest page first. */
  messages(options?: MessagesOptions): Promise<MessagePage>;
  /** Erases the content of an entry for good: from the log, its results and the search index. The model sees a stub. */
  erase(entry: number): Promise<Erased>;
  /** Prepares the next request for the provider's client. It is recorded in the log first, so that it never changes. */
  prepare(options?: PrepareOptions): Promise<Request>;
  /**
   * Appends a response of the provider with its token counts. For a stream, pass the final message.
   * @param request the request that it answers, as `prepare` returned it. @default the newest request
   */
  record(response: Response, request?: Request, options?: RecordOptions): Promise<RecordedResponse>;
  /**
   * Handles a failed call. If the request was too long, it compacts the conversation. If an image or a document was refused, it
   * shows a stub instead. Returns whether to try again.
   */
  recover(error: unknown, signal?: AbortSignal): Promise<Recovery>;
  /** Changes model, system prompt, tools or parameters, from the next request on. */
  configure(wanted: WantedConfiguration): Promise<void>;
  /** The settings of this turn, and given values that are invalid. */
  settings(): ResolvedSettings;
  /**
   * Compacts the conversation into a summary. It tries the cheapest way first; the last one needs no model. It fails only if the
   * content that cannot be compacted leaves no room. The session continues meanwhile, and what you append stays.
   */
  compact(options?: CompactOptions): Promise<CompactionOutcome>;
  /** Reads what was stored, cleared or compacted by its entry number, or finds it by words. */
  recall(request: RecallRequest): Promise<Recalled>;
  /**
   * Opens a second session that starts with the same bytes, so that both share the provider's cache. It does not change this
   * session, except that both ledgers count what it uses.
   */
  fork(options: ForkOptions): Promise<Session<Request, Response>>;
  /** Asks the model a question outside the conversation, on a temporary fork. It runs no tools. */
  ask(question: string, options: AskOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface PrepareOptions {
  /** How you will receive the answer. A streamed answer may be longer, unless the session sets a limit. @default "whole" */
  readonly answer?: "streamed" | "whole";
  /** Aborts a compaction that runs before the request. `prepare` then throws the signal's reason. */
  readonly signal?: AbortSignal;
}
