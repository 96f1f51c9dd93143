// Opens the core of a session: its options, ports, state and settings.

import { type Clock, withTimers } from "../clock.ts";
import { addedContext, type HookResults, type Hooks } from "../hooks/hook.ts";
import { attachment, type NewContent, notice } from "../log/messages.ts";
import type { ForkPayload, ToolDefinition } from "../log/payload.ts";
import { HOOK } from "../log/provenance.ts";
import type { Policy } from "../policy/policy.ts";
import type { Provider } from "../providers/provider.ts";
import { definitionOf, isTool, type Tool } from "../schema/tool.ts";
import type { Emit, NewEvent, SessionEvent } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { EntryBatch, LogWriter, ResultFiles } from "../stores/store.ts";
import { cleanHostContent, type Surroundings, withTimeout } from "./host-content.ts";
import { leaveRoom, ModelFactsReader, windowOfModel } from "./limits.ts";
import { type Base, forkedResults } from "./log.ts";
import type { Attendance, SessionOptions } from "./options.ts";
import { type RuleFailures, SessionPolicy } from "./policy.ts";
import type { ForkRequestOptions } from "./ports.ts";
import { SessionSettings, SettingsReader } from "./settings.ts";
import { SessionState } from "./state.ts";

/** The dependencies of an open session, as the host passed them. Nothing here follows from the log. */
export interface Ports {
  readonly provider: Provider;
  /** Stores large results. */
  readonly files: ResultFiles;
  readonly clock: Required<Clock>;
  readonly events: EventSource;
  readonly emit: Emit;
  /** Runs the host's hooks, and emits `hooks-ran`. */
  readonly runHooks: Hooks["run"];
  /** The host's answers to questions about its work. They come in time and never throw. */
  readonly host: Surroundings;
  readonly tools: RunnableTools;
  readonly facts: ModelFactsReader;
  readonly pings: PingStatus;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
  /** Ends the session's own work. */
  readonly closing: AbortController;
}

/** Why a provider accepts no pings. A session and its forks share it. */
export interface PingRefusal {
  because: string | undefined;
}

/** Whether the provider accepts requests that only keep a prompt in its cache. */
export class PingStatus {
  readonly refusal: PingRefusal;
  /** Whether the newest request can be sent without asking for an answer. */
  sendable = true;

  constructor(refusal: PingRefusal = { because: undefined }) {
    this.refusal = refusal;
  }
}

/** The part of an open session that every feature can use. `LiveSession` has these fields. */
export interface SessionCore {
  readonly id: string;
  /** The options that the host opened the session with. */
  readonly options: SessionOptions;
  readonly ports: Ports;
  readonly state: SessionState;
  readonly settings: SessionSettings;
  readonly policy: SessionPolicy;
  readonly attendance: Attendance;
  /** The session that owns the stored results. For a fork without an id of its own, this is the parent. */
  readonly resultSession: string;
  /** The role of a fork; undefined if the session is not a fork. */
  readonly fork: ForkRole | undefined;
}

export interface ForkRole extends ForkRequestOptions {
  readonly base: ForkBase;
}

/** The log that a fork continues. */
export interface ForkBase extends Base {
  readonly fork: ForkPayload;
}

/** How a session is opened: by its host, or as a fork by its parent. */
export interface Opening {
  readonly writer: LogWriter;
  /** The entries that opening the log has read. */
  readonly opened?: EntryBatch | undefined;
  readonly base?: ForkBase | undefined;
  /** The session that owns the stored results. @default the session itself */
  readonly resultSession?: string;
  readonly cacheWrites?: ForkRequestOptions["cacheWrites"];
  readonly signal?: AbortSignal;
  readonly watch?: ForkRequestOptions["watch"];
  /** The settings reader of the parent of a fork, so that a problem with a setting is emitted once for both. */
  readonly settingsReader?: SettingsReader;
  /** The failures of rules of the parent of a fork. */
  readonly ruleFailures?: RuleFailures;
  /** Why the provider refused a ping of the parent of a fork. */
  readonly pingRefusal?: PingRefusal;
  /** The tools of the parent of a fork. */
  readonly tools?: RunnableTools;
}

/** @param policyOf returns the policy of a session that is opened without one */
export async function openCore(
  id: string,
  hostOptions: SessionOptions,
  opening: Opening,
  policyOf: (settings: Settings) => Policy,
): Promise<SessionCore> {
  const options = {
    ...hostOptions,
    surroundings: cleanHostContent(hostOptions.surroundings ?? {}, hostOptions.cleanText),
  };
  const { provider } = options;
  const { writer, opened, base, resultSession = id } = opening;
  const clock = withTimers(options.clock);
  const state = await SessionState.open({ ...options, session: id, writer, opened, base, clock });
  const closing = new AbortController();
  const signal = opening.signal === undefined ? closing.signal : AbortSignal.any([closing.signal, opening.signal]);
  const events = new EventSource(id, clock, options.onEvent);
  const emit: Emit = (event) => events.emit(event);
  const results = options.files ?? options.store.results;
  const settings = await SessionSettings.open(opening.settingsReader ?? new SettingsReader(options, clock, emit));
  const facts = new ModelFactsReader(provider, { from: options.modelFacts, clock });
  const model = () => modelInUse(state, facts, settings);
  const sources = { sessionId: id, option: options.policy, fromSettings: policyOf, settings, model, emit };
  const policy = new SessionPolicy(sources, opening.ruleFailures);
  return {
    id,
    options,
    state,
    settings,
    policy,
    attendance: { kind: options.attendance ?? "attended", openedAt: state.newestEntry },
    resultSession,
    fork: base && forkRole(base, opening),
    ports: {
      provider,
      files: base === undefined ? results : forkedResults(results, { own: resultSession, parent: base.fork.session }),
      clock,
      events,
      emit,
      runHooks: reportingHooks(options.hooks, clock, emit),
      host: withTimeout(options.surroundings, { clock, signal }),
      tools: opening.tools ?? new RunnableTools(),
      facts,
      pings: new PingStatus(opening.pingRefusal),
      signal,
      closing,
    },
  };
}

function modelInUse(state: SessionState, facts: ModelFactsReader, settings: SessionSettings) {
  const { model = "" } = state.view.configuration ?? {};
  return { model, windowTokens: windowOfModel(model, facts.of(model), { settings: settings.current }).tokens };
}

function forkRole(base: ForkBase, { cacheWrites = "as-usual", watch }: Opening): ForkRole {
  const { source, session: root, allowedTools, head = "parent" } = base.fork;
  return { base, source, root, allowedTools, head, cacheWrites, watch };
}

export type Listener = (event: SessionEvent) => void;

/** Passes the events of a session to its listeners. A listener's error never reaches the session. */
export class EventSource {
  readonly #session: string;
  readonly #clock: { now(): number };
  readonly #listeners = new Set<Listener>();

  constructor(session: string, clock: { now(): number }, first?: Listener) {
    this.#session = session;
    this.#clock = clock;
    if (first !== undefined) this.#listeners.add(first);
  }

  emit(newEvent: NewEvent): void {
    const event = { ...newEvent, session: this.#session, atMs: this.#clock.now() };
    for (const listener of this.#listeners) {
      try {
        const returned: unknown = listener(event);
        // A listener may be an async function. Its rejection would end the process.
        if (returned !== undefined) Promise.resolve(returned).catch(() => undefined);
      } catch {
        // Ignore the error: the session must not fail because of a listener.
      }
    }
  }

  /** Adds a listener. A function that is added twice is called twice. Returns a function that removes it. */
  listen(listener: Listener): () => void {
    const own: Listener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

/** The runnable tools of a session, by name. The log has only definitions. */
export class RunnableTools {
  readonly #byName: Map<string, Tool>;

  constructor(tools: Iterable<Tool> = []) {
    this.#byName = new Map(Array.from(tools, (tool) => [tool.name, tool]));
  }

  /** Remembers the runnable tools. Returns the definitions of all tools. */
  define(tools: readonly (Tool | ToolDefinition)[]): readonly ToolDefinition[] {
    return tools.map((one) => {
      if (!isTool(one)) return one;
      this.#byName.set(one.name, one);
      return definitionOf(one);
    });
  }

  /** Runs exactly these tools from now on. */
  replace(tools: readonly (Tool | ToolDefinition)[]): void {
    this.#byName.clear();
    this.define(tools);
  }

  /** Returns the runnable tool for each definition, or the definition itself if no tool is known. */
  find(definitions: readonly ToolDefinition[]): readonly (Tool | ToolDefinition)[] {
    return definitions.map((one) => this.#byName.get(one.name) ?? one);
  }

  /** Returns a copy for a fork, which may replace its tools. */
  copy(): RunnableTools {
    return new RunnableTools(this.#byName.values());
  }
}

/** Runs the host's hooks and emits an event for each run. */
function reportingHooks(hooks: Hooks | undefined, clock: { now(): number }, emit: Emit): Hooks["run"] {
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

/** Returns the content that hooks add at the start of a session: context for the model, and notices for the user. */
export function startContents(results: HookResults<"SessionStart">, windowTokens: number): readonly NewContent[] {
  const { blocked, messages } = results;
  const { text, cut } = leaveRoom(addedContext(results) ?? "", windowTokens);
  return [
    ...(text === "" ? [] : [attachment("hook", text, HOOK)]),
    ...(cut === undefined ? [] : [notice(`Hooks at the start of the session: ${cut}`)]),
    // A hook cannot block an open session, so the user reads the reason.
    ...[...messages, ...(blocked === undefined ? [] : [blocked.reason])].map(notice),
  ];
}
