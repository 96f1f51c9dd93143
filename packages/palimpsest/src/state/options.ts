import type { Clock } from "../clock.ts";
import type { Hooks } from "../hooks/hook.ts";
import type { ToolDefinition } from "../log/block.ts";
import type { Provider } from "../providers/provider.ts";
import type { Tool } from "../schema/tool.ts";
import type { CompactionForecast, SessionEvent } from "../session-event.ts";
import type { FlagClient } from "../settings/flags.ts";
import type { Environment } from "../settings/resolve.ts";
import type { Settings } from "../settings/settings.ts";
import type { FeatureOptions } from "../size/features.ts";
import type { ResultFiles, Store } from "../stores/store.ts";
import type { CleanText, Surroundings } from "./host-content.ts";
import type { SessionTakeover } from "./log.ts";

/** Asks whoever is there whether a compaction may be made. @see `compaction.auto` */
export type ApproveCompaction = (
  due: CompactionForecast,
  options: { readonly signal?: AbortSignal },
) => Promise<"compact" | "not-now">;

export interface NotesOptions {
  /** Headings with an italic line each that says what belongs there. @default our ten sections */
  readonly template?: string;
  /** What the model is told that updates them; see docs/guides/session-notes.md. @default our own words */
  readonly prompt?: string;
  /** Writes them down for people to read, after each update. @default they are in the log only */
  readonly write?: (markdown: string) => Promise<void>;
}

export type NotesUpdateOutcome =
  | { readonly kind: "updated" | "unchanged"; readonly markdown: string }
  | { readonly kind: "failed"; readonly why: string };

/** The session's notes. A compaction can use them instead of a summary. */
export interface SessionNotes {
  /** The notes as markdown; the empty template if there are none yet. */
  read(): Promise<string>;
  /** The newest version as it was written, with its time and the newest entry that it covers; undefined if there are no notes. */
  latest(): Promise<
    { readonly markdown: string; readonly entry: number; readonly coveredTo: number; readonly atMs: number } | undefined
  >;
  /** Updates the notes now, with a call on the cached prompt. The session also updates them itself when that saves money. */
  update(options?: { readonly signal?: AbortSignal }): Promise<NotesUpdateOutcome>;
}

/** The settings of a session; what they are, their defaults and the order of their sources: docs/defaults.md. */
export interface SettingsOptions {
  /**
   * Values by name, stronger than every other source. A name that is unknown or a value that cannot be used throws an
   * `InvalidOptionError`. @default none
   */
  readonly settings?: Partial<Settings>;
  /** Where the other values come from. @default the variables of the process, where there is one */
  readonly settingsFrom?: SettingsSource;
}

/** Sources of settings outside the code, the strongest first. What cannot be used of them is told as `settings-rejected`. */
export interface SettingsSource {
  /** Variables by name, of which those that begin with `PALIMPSEST_` are read. @default the environment of the process; none in a runtime without one */
  readonly environment?: Environment;
  /** An OpenFeature client. While it fails, the values that it gave before hold. @default none */
  readonly flags?: FlagClient;
  /** How long a turn waits for the flags. @default 2,000 */
  readonly flagsDeadlineMs?: number;
  /** A JSON object of names and values: `settingsFile(path)`, or your own. @default none */
  readonly file?: SettingsFile;
}

/** A file of settings. It is read at the start of each turn. */
export interface SettingsFile {
  /** For messages: its path or address. */
  readonly name: string;
  /** Resolves with its text, or with undefined if there is no such file. */
  read(): Promise<string | undefined>;
}

/** What is sent beside the messages, as the caller wants it. What is left out stays as it is. */
export interface WantedConfiguration {
  readonly model?: string;
  /** @default none */
  readonly system?: string;
  /** Made by `tool()`, which `query` can run, or definitions for a loop of your own. @default none */
  readonly tools?: readonly (Tool | ToolDefinition)[];
  /** Fields of the provider's request, passed on as they are. @default none */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Options of `openSession`. Only `store`, `provider` and, for a new session, `model` are required. */
export interface SessionOptions<Request = unknown, Response = unknown, Message = unknown>
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

/** Who is there to be told, and since which entry of the log. */
export interface Attendance {
  /** `unattended`: nobody is there to answer. */
  readonly kind: "attended" | "unattended";
  /** The newest entry when the session was opened; 0 if it began in this process. */
  readonly openedAt: number;
}

/**
 * Why a compaction that would save money is not made. `opened`: the session was resumed, and the user has not been told yet or
 * has not said anything since. `restored`: a compaction of the same items was taken back. `failed`: the last one failed.
 */
export type Hold =
  | { readonly by: "opened" }
  | { readonly by: "restored"; readonly since: number }
  | { readonly by: "failed"; readonly retryAtMs: number };

/** A compaction that is to be made before the next request; or, if it is held, named to the user and not made. */
export interface DueCompaction {
  readonly forecast: CompactionForecast;
  readonly hold?: Hold;
}
