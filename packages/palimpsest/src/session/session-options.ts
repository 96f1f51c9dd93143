import type { Hooks } from "../hooks/hook.ts";
import type { Provider } from "../providers/provider.ts";
import type { SessionEvent } from "../session-event.ts";
import type { ResultFiles } from "../stores/results.ts";
import type { Store } from "../stores/store.ts";
import type { FeatureOptions } from "../tokens/features.ts";
import type { WantedConfiguration } from "./change-configuration.ts";
import type { Clock } from "./clock.ts";
import type { ApproveCompaction } from "./compact/compact-options.ts";
import type { Surroundings } from "./compact/surroundings.ts";
import type { NotesOptions } from "./notes/notes-options.ts";
import type { SessionTakeover } from "./open-writer.ts";
import type { SettingsOptions } from "./settings-source.ts";

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
  readonly attendance?: "attended" | "unattended";
  /** @default the system's clock */
  readonly clock?: Clock;
}
