import type { Hooks } from "../hooks/hook.ts";
import type { ForkPayload } from "../log/branch-payloads.ts";
import type { Provider } from "../providers/provider.ts";
import { type Clock, withTimers } from "../session/clock.ts";
import type { Attendance } from "../session/compact/attendance.ts";
import type { Surroundings } from "../session/compact/surroundings.ts";
import { withTimeout } from "../session/compact/with-timeout.ts";
import { createEmit, type Listener } from "../session/create-emit.ts";
import type { ForkRequestOptions } from "../session/fork/fork-request-options.ts";
import { forkedResults } from "../session/fork/forked-results.ts";
import { createHeldSettings, type HeldSettings } from "../session/held-settings.ts";
import { createKnownFacts, type KnownFacts } from "../session/known-facts.ts";
import { createKnownTools, type KnownTools } from "../session/known-tools.ts";
import { createRunHooks } from "../session/run-hooks.ts";
import type { Emit } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { ResultFiles } from "../stores/results.ts";
import type { EntryBatch, LogWriter } from "../stores/store.ts";
import { cleanSurroundings } from "./host-content.ts";
import type { Base } from "./log.ts";
import type { SessionOptions } from "./options.ts";
import { createSettingsReader, type SettingsReader } from "./settings.ts";
import { openSessionState, type SessionState } from "./state.ts";

/** What the parts of an open session share. Each part takes it, and by name what it needs of other parts. */
export interface SessionContext<Request = unknown, Response = unknown, Message = unknown> {
  /** The id of the session. */
  readonly session: string;
  /** What the host has opened it with. */
  readonly options: SessionOptions<Request, Response, Message>;
  readonly state: SessionState;
  readonly provider: Provider<Request, Response, Message>;
  /** What is known of a model. */
  readonly factsOf: KnownFacts["of"];
  readonly facts: KnownFacts;
  /** The settings that hold for this turn. */
  readonly settings: () => Settings;
  readonly heldSettings: HeldSettings;
  readonly settingsReader: SettingsReader;
  readonly tools: KnownTools;
  /** Where large results go. */
  readonly files: ResultFiles;
  /** The session that they are kept for: its own, or its parent's. */
  readonly resultSession: string;
  /** What the host knows. It answers in time and does not throw. */
  readonly surroundings: Surroundings;
  readonly attendance: Attendance;
  readonly clock: Required<Clock>;
  readonly emit: Emit;
  readonly listeners: Set<Listener>;
  readonly runHooks: Hooks["run"];
  /** What is different about the requests of a fork; undefined if it is none. */
  readonly fork: ForkRequestOptions | undefined;
  /** What a fork continues. */
  readonly base: ForkBase | undefined;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
  /** Ends the session's own work. */
  readonly closing: AbortController;
}

export interface ForkBase extends Base {
  readonly fork: ForkPayload;
}

/** How a session is opened: by its host, or as a fork by its parent. */
export interface Opening {
  readonly writer: LogWriter;
  /** What was read when the log was opened. */
  readonly opened?: EntryBatch | undefined;
  /** What it continues, if it is a fork. */
  readonly base?: ForkBase | undefined;
  /** The session that its results are kept for. @default its own */
  readonly resultSession?: string;
  readonly cacheWrites?: ForkRequestOptions["cacheWrites"];
  readonly signal?: AbortSignal;
  readonly watch?: ForkRequestOptions["watch"];
  /** Its parent's, if it is a fork: what was told of settings is not told again. */
  readonly settingsReader?: SettingsReader;
  /** Its parent's, if it is a fork. */
  readonly tools?: KnownTools;
}

export async function openContext<Request, Response, Message>(
  session: string,
  given: SessionOptions<Request, Response, Message>,
  opening: Opening,
): Promise<SessionContext<Request, Response, Message>> {
  const options = { ...given, surroundings: cleanSurroundings(given.surroundings ?? {}, given.cleanText) };
  const { provider } = options;
  const { writer, opened, base, resultSession = session } = opening;
  const results = options.files ?? options.store.results;
  const clock = withTimers(options.clock);
  const state = await openSessionState({ ...options, session, writer, opened, base, clock });
  const closing = new AbortController();
  const signal = opening.signal === undefined ? closing.signal : AbortSignal.any([closing.signal, opening.signal]);
  const listeners = new Set<Listener>(options.onEvent === undefined ? [] : [options.onEvent]);
  const emit = createEmit({ session, clock, listeners });
  const settingsReader = opening.settingsReader ?? createSettingsReader(options, { clock, emit });
  const heldSettings = await createHeldSettings(settingsReader);
  const facts = createKnownFacts(provider, { from: options.modelFacts, clock });
  return {
    session,
    options,
    state,
    provider,
    factsOf: facts.of,
    facts,
    settings: heldSettings.settings,
    heldSettings,
    settingsReader,
    tools: opening.tools ?? createKnownTools(),
    files: base === undefined ? results : forkedResults(results, { own: resultSession, parent: base.fork.session }),
    resultSession,
    surroundings: withTimeout(options.surroundings, { clock, signal }),
    attendance: { kind: options.attendance ?? "attended", openedAt: state.newestEntry },
    clock,
    emit,
    listeners,
    runHooks: createRunHooks({ hooks: options.hooks, clock, emit }),
    fork: base && forkRequestOptions(base.fork, opening),
    base,
    signal,
    closing,
  };
}

function forkRequestOptions(fork: ForkPayload, { cacheWrites = "as-usual", watch }: Opening): ForkRequestOptions {
  const { source, session: root, allowedTools } = fork;
  return { source, root, allowedTools, cacheWrites, watch };
}
