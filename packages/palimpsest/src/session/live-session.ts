import { type Compactions, createAutoCompaction, createCompactions } from "../compact/compaction.ts";
import { explainBoundaries } from "../compact/explain.ts";
import { createMediaRecovery, createRecovery } from "../compact/recover.ts";
import { spentTokens } from "../cost/ledger.ts";
import { createForks, type Forks, type OpenFork } from "../forks/forks.ts";
import { toDraft } from "../log/draft.ts";
import { isStreamed } from "../log/messages.ts";
import { createNotes, type NotesKeeper } from "../notes/keeper.ts";
import { recall } from "../recall/recall.ts";
import { classifyStep } from "../state/carried.ts";
import type { Listener, SessionContext } from "../state/context.ts";
import type { Contents, Requests } from "../state/ports.ts";
import { createEnterUsage, type EnterUsage } from "../state/responses.ts";
import { exportLog } from "../stores/export-log.ts";
import { account } from "../view/account.ts";
import { attachedTexts } from "../view/items.ts";
import { loadedTools } from "../view/tool-search.ts";
import { openCalls } from "../view/turn.ts";
import { type AppendOptions, appendOnce, createContents } from "./append.ts";
import { configure, type DeferredTools, searchTools } from "./configure.ts";
import { createDecisions, type Decisions } from "./decisions.ts";
import { erase } from "./erase.ts";
import { createKeepWarm, type KeepWarm } from "./keep-warm.ts";
import { readLedgerLines } from "./ledger-lines.ts";
import { listMessages } from "./list-messages.ts";
import { createPins, type Pins } from "./pins.ts";
import { createPrepare, createRequests } from "./prepare.ts";
import { createRecord, type RecordResponse } from "./record.ts";
import { createRecordInterrupted, type RecordInterrupted } from "./record-interrupted.ts";
import type { Session, SessionBackground, SessionEvents, SessionHistory, SessionTurn, SessionView } from "./session.ts";
import { createSync } from "./sync/sync.ts";
import { createTurnSteps } from "./turn.ts";

/** What a session is made of. */
export interface SessionParts<Request, Response> {
  /** The way in. */
  readonly contents: Contents;
  /** The way out. */
  readonly requests: Requests<Request>;
  readonly prepare: Session<Request, Response>["prepare"];
  /** The way back. */
  readonly record: RecordResponse<Request, Response>;
  readonly recordInterrupted: RecordInterrupted<Request>;
  readonly recover: Session<Request, Response>["recover"];
  readonly decisions: Decisions;
  readonly compactions: Compactions;
  readonly pins: Pins;
  readonly notes: NotesKeeper;
  readonly forks: Forks<Session<Request, Response>>;
  readonly warmth: KeepWarm<Request>;
  readonly enterUsage: EnterUsage;
}

/** @param openFork opens a session that shares this one's prompt */
export function createParts<Request, Response, Message>(
  context: SessionContext<Request, Response, Message>,
  openFork: OpenFork<Session<Request, Response>>,
): SessionParts<Request, Response> {
  const { options, state, provider, fork } = context;
  const contents = createContents(context);
  const warmth = createKeepWarm(context);
  const requests = createRequests(context, (request, entry) => {
    warmth.begin(request, entry);
    fork?.watch?.asked();
  });
  const enterUsage = createEnterUsage(state, context.factsOf);
  const forks = createForks(context, { requests, enterUsage, openFork });
  const notes = createNotes(context, { forks, requests });
  const compactions = createCompactions(context, { contents, forks, notes, requests });
  const automatic = createAutoCompaction(context, compactions);
  const media = createMediaRecovery(context, requests);
  return {
    contents,
    requests,
    prepare: createPrepare(state, { requests, notes, automatic }),
    record: createRecord(context, requests),
    recordInterrupted: createRecordInterrupted(context, requests),
    recover: createRecovery(context, { requests, compactions, automatic, media }),
    decisions: createDecisions({ ...options, state, provider: provider.name }),
    compactions,
    pins: createPins(state, requests),
    notes,
    forks,
    warmth,
    enterUsage,
  };
}

/** The session that its host sees. What changes the log goes through `inOrder`, one after another. */
export function assembleSession<Request, Response, Message>(
  context: SessionContext<Request, Response, Message>,
  parts: SessionParts<Request, Response>,
): Session<Request, Response> {
  const { session: id, state, provider, files, emit, fork } = context;
  const { contents, requests, pins, notes, forks, compactions, warmth } = parts;
  const { inOrder } = state;
  const sync = createSync({
    state,
    contents,
    factsOf: context.factsOf,
    decisions: parts.decisions,
    configure: (wanted) => configure(context, wanted),
  });
  return {
    id,
    signal: context.signal,
    provider: {
      name: provider.name,
      send: (request, how) => provider.send(request, how),
      keepWarm: warmth.keepWarm,
    },
    view: viewOf(context, parts),
    turn: turnOf(context, parts),
    history: historyOf(context, parts),
    pins: {
      add: (what) => inOrder(() => pins.pin(what)),
      remove: (pin) => inOrder(() => pins.unpin(pin)),
      list: () => state.carriedState.pins,
    },
    notes: {
      read: notes.read,
      latest: notes.latest,
      update: (how) => notes.update(how?.signal),
    },
    ledger: {
      totals: () => spentTokens(state.ledger),
      cost: () => inOrder(requests.cost),
      // Earlier responses of a fork's log are its parent's.
      lines: () => readLedgerLines(state.log, (context.base?.sequence ?? 0) + 1),
      enter: parts.enterUsage,
    },
    events: eventsOf(context),
    background: backgroundOf(context, parts),
    append: (content, how?: AppendOptions) =>
      isStreamed(content) ? contents.appendStream(content) : inOrder(() => appendOnce(state, contents, content, how)),
    sync: (messages) => inOrder(() => sync(messages)),
    messages: (how) => inOrder(() => listMessages(state, how)),
    erase: (entry) => inOrder(() => erase(entry, { session: context.resultSession, state, files })),
    prepare: parts.prepare,
    async record(response, request, how) {
      const recorded = await inOrder(() => parts.record(response, request, how));
      // A fork is forgotten, or has a parent whose notes know of it.
      if (fork === undefined) notes.afterResponse();
      return recorded;
    },
    recover: parts.recover,
    configure: (wanted) => inOrder(() => configure(context, wanted)),
    settings: context.heldSettings.resolved,
    async compact(how) {
      await inOrder(requests.runStages);
      return compactions.compact({ trigger: "manual" }, how);
    },
    async recall(request) {
      const recalled = await recall(request, { log: state.log, files, session: id });
      emit({ kind: "recalled", by: request.entry === undefined ? "search" : "entry", outcome: recalled.kind });
      return recalled;
    },
    fork: forks.fork,
    ask: forks.ask,
    close: closeOf(context, parts),
  };
}

type AnyContext = Omit<SessionContext<never, never, never>, "options" | "provider">;
type AnyParts = Pick<SessionParts<never, never>, "contents" | "decisions" | "warmth"> & {
  readonly requests: Pick<SessionParts<never, never>["requests"], "size" | "filesRead">;
};

function viewOf({ state, tools }: AnyContext, { requests }: AnyParts): SessionView {
  const deferredTools = (): DeferredTools => ({
    offered: state.configuration.tools.filter(({ loading }) => loading === "deferred"),
    loaded: loadedTools(state.view.items),
  });
  return {
    size: requests.size,
    accounting: (how) => account(state.view, how),
    openCalls: () => openCalls(state.view).map(({ call }) => call),
    tools: () => tools.find(state.configuration.tools),
    deferredTools,
    searchTools: (input) => searchTools(deferredTools(), input),
    filesRead: requests.filesRead,
    attached: (type) => attachedTexts(state.view, type),
  };
}

function turnOf<Request>(
  { session, state, factsOf }: AnyContext,
  { contents, recordInterrupted }: Pick<SessionParts<Request, never>, "contents" | "recordInterrupted">,
): SessionTurn<Request> {
  const { inOrder } = state;
  const steps = createTurnSteps({ session, state, contents, factsOf });
  return {
    next: steps.next,
    decide: (callId, decision) => inOrder(() => steps.decide(callId, decision)),
    stop: (said = {}) => inOrder(() => steps.stop(said)),
    takeIn: (item) => inOrder(() => steps.takeIn(item)),
    taken: (queue) => inOrder(() => steps.taken(queue)),
    recordInterrupted: (answer, request, how) => inOrder(() => recordInterrupted(answer, request, how)),
    enterCall: (step) => inOrder(async () => void (await state.append([toDraft("call", step)]))),
    enterStep: (step, ...told) => inOrder(async () => void (await contents.append(told, [toDraft("turn", step)]))),
  };
}

function historyOf({ state }: AnyContext, { decisions }: AnyParts): SessionHistory {
  const { inOrder } = state;
  return {
    get newestEntry() {
      return state.newestEntry;
    },
    rewind: (to, reason = "rewound") => inOrder(() => decisions.rewind(to, reason)),
    replace: (range, replacements, reason) =>
      inOrder(() => decisions.replace({ ...range, with: replacements, reason })),
    fold: (range, replacements, reason) => inOrder(() => decisions.fold({ ...range, with: replacements, reason })),
    snip: (target, reason = "not needed any more") => inOrder(() => decisions.snip(target, reason)),
    restore: (decision, reason = "restored") => inOrder(() => decisions.restore(decision, reason)),
    explain: (limit) => inOrder(() => explainBoundaries(state.log, state.view, limit)),
    export: () => exportLog(state.log),
  };
}

function eventsOf({ listeners, emit, runHooks }: AnyContext): SessionEvents {
  return {
    listen(listener) {
      // Its own object: whoever listens twice is told twice, and each ends for itself.
      const own: Listener = (event) => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    emit,
    runHooks,
  };
}

function backgroundOf({ state, emit }: AnyContext, { contents }: AnyParts): SessionBackground {
  const { inOrder } = state;

  function emitAgent(agent: string): void {
    const one = state.carriedState.agents.find(({ id }) => id === agent);
    if (one === undefined) return;
    const { way, status, name, plan } = one;
    const known = { ...(name === undefined ? {} : { name }), ...(plan === undefined ? {} : { plan }) };
    emit({ kind: "agent-changed", agent, way, status, ...known });
  }

  return {
    agents: () => state.carriedState.agents,
    enterAgent: (step, ...told) =>
      inOrder(async () => {
        const outcome = classifyStep(state.carriedState.agents, step);
        if (outcome !== "entered") return outcome;
        await contents.append(told, [toDraft("agent", step)]);
        emitAgent(step.id);
        return outcome;
      }),
    mark: (name) => state.carriedState.marks[name] ?? 0,
    setMark: (name, coveredTo) =>
      inOrder(async () => void (await state.append([toDraft("mark", { name, coveredTo })]))),
  };
}

function closeOf({ session, state, fork, closing, runHooks }: AnyContext, { warmth }: AnyParts): Session["close"] {
  let ending: Promise<unknown> | undefined;
  return async () => {
    if (!closing.signal.aborted) fork?.watch?.closed();
    closing.abort();
    warmth.stop();
    await state.close();
    // Only then: however long they take, nobody who wants the session waits for them.
    if (fork === undefined) ending ??= runHooks("SessionEnd", { sessionId: session });
    await ending;
  };
}
