// An open session with all of its parts.

import { Ahead } from "../compact/ahead.ts";
import { Compactions } from "../compact/compaction.ts";
import { explainBoundaries } from "../compact/explain.ts";
import type { CompactionOutcome, CompactOptions, DecisionOutcome, Recovery } from "../compact/outcome.ts";
import { Recoveries } from "../compact/recover.ts";
import type { CallLimits } from "../compact/summary/model-calls.ts";
import { type Answer, type AskOptions, type ForkOptions, Forks, type OpenFork } from "../forks/forks.ts";
import { toDraft } from "../log/entry.ts";
import { isStreamed, type NewContent, type StreamedResult } from "../log/messages.ts";
import type { AgentPayload, CallPayload, TurnPayload } from "../log/payload-turn.ts";
import { NotesKeeper } from "../notes/keeper.ts";
import { type Recalled, type RecallRequest, recall } from "../recall/recall.ts";
import { type AgentStepOutcome, classifyStep } from "../state/carried.ts";
import type { ForkRole, Ports, SessionCore } from "../state/core.ts";
import type { Attendance, SessionOptions, WantedConfiguration } from "../state/options.ts";
import type { SessionPolicy } from "../state/policy.ts";
import type { RecordedResponse, RecordOptions } from "../state/responses.ts";
import type { SessionSettings } from "../state/settings.ts";
import type { SessionState } from "../state/state.ts";
import { loadedTools } from "../view/tool-search.ts";
import { type AppendOptions, Inlet } from "./append.ts";
import { Measures } from "./before-request.ts";
import { configure, type DeferredTools } from "./configure.ts";
import { KeepWarm } from "./keep-warm.ts";
import { Outlet } from "./prepare.ts";
import { record } from "./record.ts";
import {
  type InterruptedAnswer,
  type InterruptionOptions,
  type RecordedInterruption,
  recordInterrupted,
} from "./record-interrupted.ts";
import type { PrepareOptions, Session } from "./session.ts";
import type { Synced, SyncMessage } from "./sync/conversation.ts";
import { ListSync } from "./sync/sync.ts";

/**
 * An open session. Its methods follow the order of a conversation: append content, prepare requests, record responses.
 * `face` builds the public object from it. Every change to the log runs through `state.inOrder`, one after another.
 */
export class LiveSession implements SessionCore {
  readonly id: string;
  readonly options: SessionOptions;
  readonly ports: Ports;
  readonly settings: SessionSettings;
  readonly policy: SessionPolicy;
  readonly attendance: Attendance;
  readonly resultSession: string;
  readonly fork: ForkRole | undefined;
  /** The log of the session, and the state that follows from it. */
  readonly state: SessionState;

  readonly inlet: Inlet;
  readonly measures: Measures;
  readonly outlet: Outlet;
  readonly forks: Forks<Session>;
  readonly notes: NotesKeeper;
  readonly ahead: Ahead;
  readonly compactions: Compactions;
  readonly recoveries: Recoveries;
  readonly warmth: KeepWarm;
  readonly #sync: ListSync;
  /** Resolves when the SessionEnd hooks have run. Undefined until the session is closed. */
  #ending: Promise<unknown> | undefined;

  /**
   * @param openFork opens a session that shares the prompt of this session
   * @param limits limits for the calls of a compaction
   */
  constructor(core: SessionCore, openFork: OpenFork<Session>, limits: CallLimits) {
    this.id = core.id;
    this.options = core.options;
    this.ports = core.ports;
    this.settings = core.settings;
    this.policy = core.policy;
    this.attendance = core.attendance;
    this.resultSession = core.resultSession;
    this.fork = core.fork;
    this.state = core.state;
    this.inlet = new Inlet(this);
    this.measures = new Measures(this);
    this.warmth = new KeepWarm(this);
    this.outlet = new Outlet(this, this.measures, (request, entry) => {
      this.warmth.begin(request, entry);
      this.fork?.watch?.asked();
    });
    this.forks = new Forks(this, openFork);
    this.notes = new NotesKeeper(this);
    this.ahead = new Ahead(this, limits);
    this.compactions = new Compactions(this, limits);
    this.recoveries = new Recoveries(this);
    this.#sync = new ListSync(this);
  }

  append(
    content: NewContent | readonly NewContent[] | StreamedResult,
    options?: AppendOptions,
  ): Promise<readonly number[]> {
    if (isStreamed(content)) return this.inlet.appendStream(content);
    return this.state.inOrder(() => this.inlet.appendOnce(content, options));
  }

  sync(messages: readonly SyncMessage[]): Promise<Synced> {
    return this.state.inOrder(() => this.#sync.sync(messages));
  }

  /** Prepares the next request. Compacts the conversation first if a compaction is due. */
  async prepare(options: PrepareOptions = {}): Promise<unknown> {
    const { answer, signal } = options;
    this.notes.onRequest();
    const first = await this.state.inOrder(async () => {
      await this.ahead.review();
      return this.outlet.next("first", answer);
    });
    if (first.kind === "request") return first.request;
    const outcome = this.ahead.defers(first.due)
      ? WRITTEN_MEANWHILE
      : await this.compactions.beforeRequest(first.due, { signal });
    this.measures.decisions.settle(outcome);
    signal?.throwIfAborted();
    const second = await this.state.inOrder(() => this.outlet.next("not-now", answer));
    if (second.kind !== "request") throw new TypeError("No request was prepared.");
    return second.request;
  }

  async record(response: unknown, request?: unknown, options?: RecordOptions): Promise<RecordedResponse> {
    const recorded = await this.state.inOrder(() => record(this, response, request, options));
    // A fork starts with the notes of its parent, and does not update them by itself.
    if (this.fork === undefined) {
      this.notes.afterResponse();
      this.ahead.afterResponse();
    }
    return recorded;
  }

  recordInterrupted(
    answer: InterruptedAnswer,
    request?: unknown,
    options?: InterruptionOptions,
  ): Promise<RecordedInterruption> {
    return this.state.inOrder(() => recordInterrupted(this, answer, request, options));
  }

  recover(error: unknown, signal?: AbortSignal): Promise<Recovery> {
    return this.recoveries.recover(error, signal);
  }

  configure(configuration: WantedConfiguration): Promise<void> {
    return this.state.inOrder(() => configure(this, configuration));
  }

  async compact(options?: CompactOptions): Promise<CompactionOutcome> {
    await this.state.inOrder(() => this.outlet.beforeCompaction());
    return this.compactions.compact({ trigger: "manual" }, options);
  }

  explain(limit?: number): ReturnType<typeof explainBoundaries> {
    return this.state.inOrder(() => explainBoundaries(this.state.log, this.state.view, limit));
  }

  async recall(request: RecallRequest): Promise<Recalled> {
    const recalled = await recall(request, { log: this.state.log, files: this.ports.files, session: this.id });
    const by = request.entry === undefined ? "search" : "entry";
    this.ports.emit({ kind: "recalled", by, outcome: recalled.kind });
    return recalled;
  }

  openFork(options: ForkOptions): Promise<Session> {
    return this.forks.fork(options);
  }

  ask(question: string, options: AskOptions): Promise<Answer> {
    return this.forks.ask(question, options);
  }

  deferredTools(): DeferredTools {
    return {
      offered: this.state.configuration.tools.filter(({ loading }) => loading === "deferred"),
      loaded: loadedTools(this.state.view.items),
    };
  }

  /** Records how far a call has come. */
  enterCall(step: CallPayload): Promise<void> {
    return this.state.inOrder(async () => void (await this.state.append([toDraft("call", step)])));
  }

  /** Records a step of the turn, together with content for the model. */
  enterStep(step: TurnPayload, content: readonly NewContent[]): Promise<void> {
    return this.state.inOrder(async () => void (await this.inlet.append(content, [toDraft("turn", step)])));
  }

  /** Records how far a named reader has processed the log. */
  setReadTo(name: string, coveredTo: number): Promise<void> {
    return this.state.inOrder(async () => void (await this.state.append([toDraft("reader", { name, coveredTo })])));
  }

  /** Records a status change of an agent, together with content for the model. */
  enterAgent(step: AgentPayload, content: readonly NewContent[]): Promise<AgentStepOutcome> {
    return this.state.inOrder(async () => {
      const outcome = classifyStep(this.state.carriedState.agents, step);
      if (outcome !== "entered") return outcome;
      await this.inlet.append(content, [toDraft("agent", step)]);
      const agent = this.state.carriedState.agents.find(({ id }) => id === step.id);
      if (agent !== undefined) {
        const { id, way, status, name, plan } = agent;
        this.ports.emit({ kind: "agent-changed", agent: id, way, status, name, plan });
      }
      return outcome;
    });
  }

  /**
   * Stops the session's background work and releases the log. Then runs the SessionEnd hooks, so that a process that
   * waits for the session does not wait for hooks.
   */
  async close(): Promise<void> {
    const { closing, runHooks } = this.ports;
    if (!closing.signal.aborted) this.fork?.watch?.closed();
    closing.abort();
    this.warmth.stop();
    await this.ahead.close();
    await this.state.close();
    if (this.fork === undefined) this.#ending ??= runHooks("SessionEnd", { sessionId: this.id });
    await this.#ending;
  }
}

/** The outcome of a compaction for which nobody waits. */
const WRITTEN_MEANWHILE: DecisionOutcome = { kind: "held", because: "its summary is written while the work goes on" };
