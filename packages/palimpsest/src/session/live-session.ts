import { explainBoundaries } from "../compact/explain.ts";
import { spentTokens } from "../cost/ledger.ts";
import { toDraft } from "../log/to-draft.ts";
import { classifyStep } from "../stages/compact/running-agents.ts";
import { recall } from "../stages/recall/recall.ts";
import type { SessionContext } from "../state/context.ts";
import { exportLog } from "../stores/read.ts";
import { account } from "../view/account.ts";
import { attachedTexts } from "../view/attached-texts.ts";
import { openCalls } from "../view/open-calls.ts";
import { loadedTools } from "../view/tool-search.ts";
import { type AppendOptions, appendOnce } from "./append/append-once.ts";
import { configure } from "./configure.ts";
import type { Listener } from "./create-emit.ts";
import { erase } from "./erase.ts";
import { readLedgerLines } from "./ledger-lines.ts";
import { listMessages } from "./list-messages.ts";
import { type DeferredTools, searchTools } from "./search-tools.ts";
import type { Session } from "./session.ts";
import type { SessionBackground, SessionEvents, SessionHistory, SessionView } from "./session-groups.ts";
import type { SessionParts } from "./session-parts.ts";
import type { SessionTurn } from "./session-turn.ts";
import { isStreamed } from "./streamed-result.ts";
import { createSync } from "./sync/sync.ts";
import { createTurnSteps } from "./turn.ts";

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
