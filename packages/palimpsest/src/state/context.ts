import { type Clock, withTimers } from "../clock.ts";
import { addedContext, type HookResults, type Hooks } from "../hooks/hook.ts";
import { attachment, type NewContent, notice } from "../log/messages.ts";
import type { ForkPayload, ToolDefinition } from "../log/payload.ts";
import { HOOK } from "../log/provenance.ts";
import type { Provider } from "../providers/provider.ts";
import { definitionOf, isTool, type Tool } from "../schema/tool.ts";
import type { Emit, SessionEvent } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { EntryBatch, LogWriter, ResultFiles } from "../stores/store.ts";
import { cleanSurroundings, type Surroundings, withTimeout } from "./host-content.ts";
import { createKnownFacts, type KnownFacts, leaveRoom } from "./limits.ts";
import { type Base, forkedResults } from "./log.ts";
import type { Attendance, SessionOptions } from "./options.ts";
import type { ForkRequestOptions } from "./ports.ts";
import { createHeldSettings, createSettingsReader, type HeldSettings, type SettingsReader } from "./settings.ts";

import { openSessionState, type SessionState } from "./state.ts";

export type Listener = (event: SessionEvent) => void;

interface EmitOptions {
  readonly session: string;
  readonly clock: { now(): number };
  readonly listeners: Iterable<Listener>;
}

/** Tells listeners what happens in a session. What one of them throws, at once or in a promise, is its own. */
function createEmit({ session, clock, listeners }: EmitOptions): Emit {
  return (newEvent) => {
    const event = { ...newEvent, session, atMs: clock.now() };
    for (const listener of listeners) {
      try {
        const returned: unknown = listener(event);
        // An async function is a listener, too, and its rejection would end the process.
        if (returned !== undefined) Promise.resolve(returned).catch(() => undefined);
      } catch {
        // A listener is no part of the session.
      }
    }
  };
}

/** The tools of a session that can be run, by their names. Its log holds definitions only. */
interface KnownTools {
  /** Remembers those that can be run. Returns all as they stand in the request. */
  define(tools: readonly (Tool | ToolDefinition)[]): readonly ToolDefinition[];
  /** The same tools; those that are known, as they can be run. */
  find(definitions: readonly ToolDefinition[]): readonly (Tool | ToolDefinition)[];
  /** For a fork: what it learns is its own. */
  copy(): KnownTools;
}

function createKnownTools(known: Iterable<Tool> = []): KnownTools {
  const byName = new Map(Array.from(known, (tool) => [tool.name, tool]));
  return {
    define: (tools) =>
      tools.map((one) => {
        if (!isTool(one)) return one;
        byName.set(one.name, one);
        return definitionOf(one);
      }),
    find: (definitions) => definitions.map((one) => byName.get(one.name) ?? one),
    copy: () => createKnownTools(byName.values()),
  };
}

interface RunHooksOptions {
  readonly hooks: Hooks | undefined;
  readonly clock: { now(): number };
  readonly emit: Emit;
}

/** The session's hooks: as the host's, and whoever listens is told how it went. */
function createRunHooks({ hooks, clock, emit }: RunHooksOptions): Hooks["run"] {
  return async (event, input, options) => {
    if (hooks === undefined) return { ran: 0, outputs: [], failures: [], messages: [] };
    const startedAtMs = clock.now();
    const results = await hooks.run(event, input, options);
    const { ran, blocked, failures, messages } = results;
    const durationMs = clock.now() - startedAtMs;
    const block = blocked === undefined ? {} : { blocked };
    if (ran > 0) emit({ kind: "hooks-ran", event, ran, durationMs, ...block, failures, messages });
    return results;
  };
}

/** What hooks at a session's start add to it: for the model what it is to know, for the user what he is to be told. */
export function startContents(results: HookResults<"SessionStart">, windowTokens: number): readonly NewContent[] {
  const { blocked, messages } = results;
  const { text, cut } = leaveRoom(addedContext(results) ?? "", windowTokens);
  return [
    ...(text === "" ? [] : [attachment("hook", text, HOOK)]),
    ...(cut === undefined ? [] : [notice(`Hooks at the start of the session: ${cut}`)]),
    // A session that is open cannot be blocked; why somebody wanted it is for the user to know.
    ...[...messages, ...(blocked === undefined ? [] : [blocked.reason])].map(notice),
  ];
}

/** What the parts of an open session share. Each part takes it, and by name what it needs of other parts. */
export interface SessionContext {
  /** The id of the session. */
  readonly session: string;
  /** What the host has opened it with. */
  readonly options: SessionOptions;
  readonly state: SessionState;
  readonly provider: Provider;
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

export async function openContext(session: string, given: SessionOptions, opening: Opening): Promise<SessionContext> {
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
