import type { Hooks } from "../hooks/hook.ts";
import type { Provider } from "../providers/provider.ts";
import type { Clock } from "../session/clock.ts";
import type { ApproveCompaction } from "../session/compact/approve.ts";
import type { Surroundings } from "../session/compact/surroundings.ts";
import type { NotesOptions } from "../session/notes/notes-options.ts";
import type { SessionTakeover } from "../session/open-writer.ts";
import type { SettingsOptions } from "../session/settings-source.ts";
import type { WantedConfiguration } from "../session/wanted-configuration.ts";
import type { SessionEvent } from "../session-event.ts";
import type { ResultFiles } from "../stores/results.ts";
import type { Store } from "../stores/store.ts";
import type { FeatureOptions } from "../tokens/features.ts";
import type { CleanText } from "./host-content.ts";

/** Options of `openSession`. Only `store`, `provider` and, for a new session, `model` are required. */
export interface SessionOptions<Request, Response, Message>
  extends WantedConfiguration,
    FeatureOptions,
    SettingsOptions {
  readonly store: Store;
  readonly provider: Provider<Request, Response, Message>;
  /** @default the value in the session's log; required for a new session */
  readonly model?: string;
  /** The id of the session to open, or of a new one. @default a new random id */
  readonly id?: string;
  /**
   * The maximum length of an answer in tokens; less if the window has no more room. @default the model's maximum, up to
   * 20,000, which client libraries allow without streaming; for `query` and
   * `prepare({ answer: "streamed" })` up to 32,000, or a quarter of a window below 128,000
   */
  readonly maxOutputTokens?: number;
  /**
   * Where model limits come from. `if-unknown`: the session asks the provider's models endpoint about models that are not in
   * the table. `asked`: about every model. `table`: about none. @default "if-unknown"
   */
  readonly modelFacts?: "if-unknown" | "asked" | "table";
  /** The name of this writer, shown to others who find the session in use. @default "process" and its number, or "a runtime without processes" */
  readonly owner?: string;
  /**
   * What to do if another process has the session open. `if-free`: throw a `SessionBusyError`. `{ waitMs }`: wait this long for
   * the other process to close it or to stop responding, then throw. `always`: take the session over; later writes of the other
   * process are refused.
   * @default "if-free"
   */
  readonly takeover?: SessionTakeover;
  /** Where oversized results are stored. @default store.results */
  readonly files?: ResultFiles;
  /**
   * Hooks of the host; make them with `palimpsest/hooks`. A hook that fails is reported to `onEvent`, and the session continues.
   * @default none
   */
  readonly hooks?: Hooks;
  /**
   * Receives the session's events, once they are in the log. `palimpsest/telemetry` turns them into spans and metrics. Errors that
   * it throws are ignored. @default none
   */
  readonly onEvent?: (event: SessionEvent) => void;
  /**
   * Applied to every text that enters the conversation, except the model's answers: messages, tool results, attachments, the head,
   * and what `surroundings` show again. Use it to remove what people cannot see, such as hidden characters. A text that it
   * returned must stay as it is when it is cleaned again. Chunks of a streamed result are yours to clean. @default texts stay as they are
   */
  readonly cleanText?: CleanText;
  /** The session's notes: template, prompt, and where to write them. @default the built-in template, kept in the log */
  readonly notes?: NotesOptions;
  /** What the host adds: the head, and what is shown again after a compaction (files, skills, todos, plans). @default nothing */
  readonly surroundings?: Surroundings;
  /** The `source` that SessionStart hooks receive for a new session. `clear`: it replaces another session. @default "startup" */
  readonly startedBy?: "startup" | "clear";
  /**
   * Asks the user before a compaction, if `compaction.auto` is `ask`. After "not-now" it is called again after the next user
   * message. An error counts as no approval. @default none: the session emits `compaction-due` once per turn
   */
  readonly approveCompaction?: ApproveCompaction;
  /** Whether a person is there. `unattended`: nobody answers questions. @default "attended" */
  readonly attendance?: "attended" | "unattended";
  /** @default the system's clock */
  readonly clock?: Clock;
}
