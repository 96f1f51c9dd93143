// The options of `openSession` and of its features.

import type { Clock } from "../clock.ts";
import type { Hooks } from "../hooks/hook.ts";
import type { ToolDefinition } from "../log/block.ts";
import type { DecidedBy } from "../log/payload-compaction.ts";
import type { Action } from "../policy/policy.ts";
import type { Provider } from "../providers/provider.ts";
import type { Tool } from "../schema/tool.ts";
import type { CompactionForecast, SessionEvent } from "../session-event.ts";
import type { FlagClient } from "../settings/flags.ts";
import type { Environment } from "../settings/resolve.ts";
import type { Settings } from "../settings/settings.ts";
import type { FeatureOptions } from "../size/calibration.ts";
import type { ResultFiles, Store } from "../stores/store.ts";
import type { CleanText, Surroundings } from "./host-content.ts";
import type { SessionTakeover } from "./log.ts";
import type { PolicyOption } from "./policy.ts";

/** Asks the user or the host whether to compact the conversation. @see the setting `compaction` */
export type ApproveCompaction = (
  due: CompactionForecast,
  options: { readonly signal?: AbortSignal },
) => Promise<"compact" | "not-now">;

export interface NotesOptions {
  /** Headings, each followed by an italic line that describes the section. @default the built-in ten sections */
  readonly template?: string;
  /** The prompt for the model that updates the notes; see docs/guides/session-notes.md. @default the built-in prompt */
  readonly prompt?: string;
  /**
   * Called with the notes after each update, to store them where people can read them. @default the notes are only in
   * the log
   */
  readonly write?: (markdown: string) => Promise<void>;
}

export type NotesUpdateOutcome =
  | { readonly kind: "updated" | "unchanged"; readonly markdown: string }
  | { readonly kind: "failed"; readonly why: string };

/** The session's notes. A compaction can use them instead of a summary. */
export interface SessionNotes {
  /** The notes as markdown; the empty template if there are none yet. */
  read(): Promise<string>;
  /** The newest version of the notes, with its time and the newest entry that it covers. Undefined without notes. */
  latest(): Promise<
    { readonly markdown: string; readonly entry: number; readonly coveredTo: number; readonly atMs: number } | undefined
  >;
  /** Updates the notes now, with a call on the cached prompt. The session also updates them itself when that saves money. */
  update(options?: { readonly signal?: AbortSignal }): Promise<NotesUpdateOutcome>;
}

/** Settings of a session. docs/defaults.md lists the settings, their defaults and the order of their sources. */
export interface SettingsOptions {
  /**
   * Values by name. They override every other source. An unknown name or an invalid value throws an
   * `InvalidOptionError`. @default none
   */
  readonly settings?: Partial<Settings>;
  /** The other sources of values. @default the environment variables of the process */
  readonly settingsFrom?: SettingsSource;
}

/** Sources of settings outside the code, strongest first. Invalid values are reported by `settings-rejected`. */
export interface SettingsSource {
  /**
   * Variables by name. Only names that begin with `PALIMPSEST_` are read. @default the environment of the process; none
   * in a runtime without processes
   */
  readonly environment?: Environment;
  /** An OpenFeature client. While it fails, its last values stay valid. @default none */
  readonly flags?: FlagClient;
  /** How long a turn waits for the flags. @default 2,000 */
  readonly flagsDeadlineMs?: number;
  /** A file with a JSON object of names and values: `settingsFile(path)`, or your own. @default none */
  readonly file?: SettingsFile;
  /** Values of the host in place of the library's defaults. Every other source is stronger. @default none */
  readonly defaults?: Partial<Settings>;
}

/** A file of settings. It is read at the start of each turn. */
export interface SettingsFile {
  /** The path or address, for messages. */
  readonly name: string;
  /** Resolves to the text of the file, or to undefined if the file does not exist. */
  read(): Promise<string | undefined>;
}

/** The configuration of a request, apart from the messages. Fields that are left out stay as they are. */
export interface WantedConfiguration {
  readonly model?: string;
  /** A fork keeps that of its parent. @default none */
  readonly system?: string;
  /**
   * Tools made by `tool()`, which `query` can run, or definitions for a custom loop. A fork keeps the list of its parent: for a fork,
   * these are the tools that it can run. @default none
   */
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
   * 20,000, which client libraries allow without streaming; for `query` and `prepare({ answer: "streamed" })` up to
   * 32,000, or a quarter of a window below 128,000
   */
  readonly maxOutputTokens?: number;
  /**
   * The source of model limits. `if-unknown`: the session asks the provider's models endpoint about models that are not
   * in the table. `asked`: about every model. `table`: about no model. @default "if-unknown"
   */
  readonly modelFacts?: "if-unknown" | "asked" | "table";
  /**
   * The name of this writer, shown to other processes that find the session in use. @default "process" and its number,
   * or "a runtime without processes"
   */
  readonly owner?: string;
  /**
   * How to open a session that another process has open. `if-free`: throw a `SessionBusyError`. `{ waitMs }`: wait this
   * long for the other process to close it or to stop responding, then throw. `always`: take over the session; later
   * writes of the other process are refused.
   * @default "if-free"
   */
  readonly takeover?: SessionTakeover;
  /** The store for oversized results. @default store.results */
  readonly files?: ResultFiles;
  /**
   * Hooks of the host; make them with `palimpsest/hooks`. A hook that fails is reported to `onEvent`, and the session continues.
   * @default none
   */
  readonly hooks?: Hooks;
  /**
   * Receives the session's events after they are in the log. `palimpsest/telemetry` turns them into spans and metrics.
   * Errors of this function are ignored. @default none
   */
  readonly onEvent?: (event: SessionEvent) => void;
  /**
   * Applied to every text that enters the conversation, except the model's answers: messages, tool results,
   * attachments, the head, and content from `surroundings`. Use it to remove content that people cannot see, such as
   * hidden characters. Cleaning a clean text must not change it. The chunks of a streamed result are not cleaned.
   * @default texts stay as they are
   */
  readonly cleanText?: CleanText;
  /**
   * Everything that the session decides about its context window: which results are stored and cleared, when the
   * conversation is compacted, and what survives. A function is called when the session opens and when its model
   * changes. The settings `profile`, `compactAt`, `summaryModel`, `notes` and `keepWarm` are rejected beside a policy,
   * because they only shape the default one. @default coding() with the profile of the settings
   */
  readonly policy?: PolicyOption;
  /** The session's notes: template, prompt, and where to write them. @default the built-in template, kept in the log */
  readonly notes?: NotesOptions;
  /**
   * The content that the host adds: the head, and content to show again after a compaction (files, skills, todos,
   * plans). @default nothing
   */
  readonly surroundings?: Surroundings;
  /** The `source` that SessionStart hooks receive for a new session. `clear`: it replaces another session. @default "startup" */
  readonly startedBy?: "startup" | "clear";
  /**
   * Asks the user before a compaction, if the setting `compaction` is `ask`. After "not-now", it is called again after the
   * next user message. An error counts as no approval. @default none: the session emits `compaction-due` once per turn
   */
  readonly approveCompaction?: ApproveCompaction;
  /** Whether a person can answer questions. `unattended`: nobody answers. @default "attended" */
  readonly attendance?: "attended" | "unattended";
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** Whether a person can read notices, and since which entry of the log. */
export interface Attendance {
  /** `unattended`: nobody can answer. */
  readonly kind: "attended" | "unattended";
  /** The newest entry when the session was opened; 0 if the session began in this process. */
  readonly openedAt: number;
}

/**
 * The reason that a compaction that would save money is not made. `opened`: the session was resumed, and the user has
 * not been notified yet or has not sent a message since. `restored`: a compaction of the same items was undone.
 * `failed`: the last one failed.
 */
export type Hold =
  | { readonly by: "opened" }
  | { readonly by: "restored"; readonly since: number }
  | { readonly by: "failed"; readonly retryAtMs: number };

/**
 * A compaction that is due before the next request. If it has a `hold`, the user is notified and the compaction is not
 * made.
 */
export interface DueCompaction {
  readonly forecast: CompactionForecast;
  readonly decided: DecidedBy;
  /** How the summary would come about. */
  readonly by: Extract<Action, { kind: "compact" }>["by"];
  readonly hold: Hold | undefined;
}
