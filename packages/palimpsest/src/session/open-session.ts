import { spentTokens } from "../cache/ledger.ts";
import { InvalidOptionError } from "../log/invalid-option-error.ts";
import type { ForkPayload } from "../log/payload.ts";
import { readPayload } from "../log/read-payload.ts";
import { toDraft } from "../log/to-draft.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Settings } from "../settings/settings.ts";
import { classifyStep } from "../stages/compact/running-agents.ts";
import { recall } from "../stages/recall/recall.ts";
import { exportLog } from "../stores/export-log.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { LogWriter, Store } from "../stores/store.ts";
import { account } from "../view/account.ts";
import { attachedTexts } from "../view/attached-texts.ts";
import { openCalls } from "../view/open-calls.ts";
import { type AppendOptions, appendOnce } from "./append/append-once.ts";
import { changeConfiguration, type WantedConfiguration } from "./change-configuration.ts";
import { checkArguments, checkSessionOptions } from "./check-arguments.ts";
import { withTimers } from "./clock.ts";
import { createAutoCompaction } from "./compact/auto-compaction.ts";
import { createCompactions } from "./compact/compactions.ts";
import { explainBoundaries } from "./compact/explain.ts";
import { createRecovery } from "./compact/recoveries.ts";
import { withTimeout } from "./compact/with-timeout.ts";
import { createContents } from "./contents.ts";
import { createEmit, type Listener } from "./create-emit.ts";
import { createDecisions } from "./decisions.ts";
import { createEnterUsage } from "./enter-usage.ts";
import { erase } from "./erase/erase.ts";
import { fetchModelFacts, needsModelFacts } from "./fetch-model-facts.ts";
import type { ForkRequestOptions } from "./fork/fork-request-options.ts";
import type { Base } from "./fork/forked-reader.ts";
import { forkedResults } from "./fork/forked-results.ts";
import { createForks, type OpenSession } from "./fork/forks.ts";
import { createKeepWarm } from "./keep-warm.ts";
import { createKnownTools, type KnownTools } from "./known-tools.ts";
import { listMessages } from "./message-list/list-messages.ts";
import { attachment, HEAD } from "./messages.ts";
import { createNotes } from "./notes/notes.ts";
import { openWriter } from "./open-writer.ts";
import { createPins } from "./pins.ts";
import { readLedgerLines } from "./read-ledger-lines.ts";
import { createRecordInterrupted } from "./record-interrupted.ts";
import { createRecord } from "./record-response.ts";
import { createMediaRecovery } from "./recover-media.ts";
import { createRequests } from "./requests.ts";
import { createRunHooks, startContents } from "./run-hooks.ts";
import type { PrepareOptions, Session } from "./session.ts";
import { SessionLostError } from "./session-errors.ts";
import type { SessionOptions } from "./session-options.ts";
import { openSessionState } from "./session-state.ts";
import { checkSettingsOptions, createSettingsReader, type SettingsReader } from "./settings-reader.ts";
import { isStreamed } from "./streamed-result.ts";

/** Opens a session, or begins one. */
export async function openSession<Request, Response, Message>(
  options: SessionOptions<Request, Response, Message>,
): Promise<Session<Request, Response>> {
  checkSessionOptions(options);
  const { store, id = crypto.randomUUID(), maxOutputTokens = 1 } = options;
  if (!(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw new InvalidOptionError("maxOutputTokens", maxOutputTokens, "a whole number above 0");
  }
  checkSettingsOptions(options);
  const writer = await openWriter(store, id, options);
  try {
    const base = await findBase(store, id, writer);
    const opening = { writer, ...(base === undefined ? {} : { base }) };
    return (await openWith(opening, { ...options, id })).session;
  } catch (error) {
    await writer.close();
    throw error;
  }
}

interface Opening {
  readonly writer: LogWriter;
  /** What it continues, if it is a fork. */
  readonly base?: Base & { readonly fork: ForkPayload };
  /** The session that its results are kept for. @default its own */
  readonly resultSession?: string;
  readonly cacheWrites?: ForkRequestOptions["cacheWrites"];
  readonly signal?: AbortSignal;
  readonly watch?: ForkRequestOptions["watch"];
  /** Its parent's, if it is a fork: what was told of settings is not told again. */
  readonly settingsReader?: SettingsReader;
  /** Its parent's, if it is a fork. */
  readonly knownTools?: KnownTools;
}

type WholeOptions<Request, Response, Message> = SessionOptions<Request, Response, Message> & {
  readonly id: string;
};

async function openWith<Request, Response, Message>(
  { writer, base, resultSession, cacheWrites = "as-usual", signal, watch, ...opening }: Opening,
  options: WholeOptions<Request, Response, Message>,
): Promise<OpenSession<Request, Response>> {
  const { id, store, provider } = options;
  const given = options.files ?? store.results;
  const files =
    base === undefined ? given : forkedResults(given, { own: resultSession ?? id, parent: base.fork.session });
  const clock = withTimers(options.clock);
  const state = await openSessionState({
    ...options,
    session: id,
    writer,
    clock,
    ...(base === undefined ? {} : { base }),
  });
  const fork = base && forkRequestOptions(base.fork, { cacheWrites, watch });
  const closing = new AbortController();
  const ends = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
  const askedFacts = new Map<string, ModelFacts>();
  const factsOf = (model: string): ModelFacts => askedFacts.get(model) ?? provider.factsOf(model);
  const { maxOutputTokens } = options;
  const listeners = new Set(options.onEvent === undefined ? [] : [options.onEvent]);
  const emit = createEmit({ session: id, clock, listeners });
  const settingsReader = opening.settingsReader ?? createSettingsReader(options, { clock, emit });
  let resolved = await settingsReader.read();
  const settings = (): Settings => resolved.settings;
  const refreshSettings = async (): Promise<void> => {
    const fresh = await settingsReader.read();
    // The same object as long as nothing has changed, so that what follows from it is not worked out again.
    if (JSON.stringify(fresh) !== JSON.stringify(resolved)) resolved = fresh;
  };
  const surroundings = withTimeout(options.surroundings ?? {}, { clock, signal: ends });
  const runHooks = createRunHooks({ ...options, clock, emit });
  const contents = createContents({ session: id, state, settings, files, emit });
  const warmth = createKeepWarm({ state, provider, factsOf, settings, clock, emit });
  const openedAt = state.newestEntry;
  const knownTools = opening.knownTools ?? createKnownTools();
  const { attendance = "attended" } = options;
  const requests = createRequests({
    session: id,
    state,
    provider,
    factsOf,
    maxOutputTokens,
    settings,
    refreshSettings,
    files,
    clock,
    fork,
    emit,
    attendance: { kind: attendance, openedAt },
    onRequestIssued(request, entry) {
      warmth.begin(request, entry);
      watch?.asked();
    },
  });
  const record = createRecord({
    session: id,
    state,
    provider,
    requests,
    factsOf,
    settings,
    clock,
    emit,
    fork,
    surroundings,
  });
  const recordInterrupted = createRecordInterrupted({ state, provider, requests, factsOf, clock, emit, fork });
  const decisions = createDecisions({ ...options, state, provider: provider.name });
  const enterUsage = createEnterUsage(state, factsOf);
  const forks = createForks({
    session: id,
    state,
    provider,
    requests,
    factsOf,
    enterUsage,
    base,
    signal: ends,
    emit,
    clock,
    openLog: (name) => openWriter(name === undefined ? memoryStore({ clock }) : store, name ?? id, options),
    async open(opening) {
      // What stands before the messages is the parent's.
      const { system: _, tools: __, parameters: ___, ...rest } = options;
      return openWith(
        { ...opening, settingsReader, knownTools: knownTools.copy() },
        { ...rest, id: opening.id, files: given, clock, model: state.configuration.model },
      );
    },
  });

  async function configure(wanted: WantedConfiguration): Promise<void> {
    const model = wanted.model ?? state.view.configuration?.model ?? options.model;
    if (model === undefined) throw new InvalidOptionError("openSession({ model })", model, "the name of a model");
    if (!askedFacts.has(model) && needsModelFacts(options.modelFacts, provider.factsOf(model))) {
      const asked = await fetchModelFacts(provider, model, clock);
      if (asked !== undefined) askedFacts.set(model, asked);
    }
    const { tools, ...rest } = wanted;
    const defined = tools === undefined ? {} : { tools: knownTools.define(tools) };
    const next = { ...rest, ...defined, model, provider: provider.name };
    const payload = changeConfiguration(state.view.configuration, next);
    if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
  }

  const notes = createNotes({
    state,
    forks,
    factsOf,
    settings,
    clock,
    emit,
    signal: ends,
    size: requests.size,
    notes: options.notes ?? {},
  });
  const compactions = createCompactions({
    session: id,
    state,
    provider,
    forks,
    factsOf,
    settings,
    clock,
    emit,
    runHooks,
    signal: ends,
    budget: requests.budget,
    filesRead: requests.filesRead,
    notes,
    surroundings: options.surroundings ?? {},
    attendance,
    append: (added) => state.inOrder(() => contents.append(added)),
  });
  const automatic = createAutoCompaction({
    state,
    compactions,
    settings,
    openedAt,
    approve: options.approveCompaction,
    emit,
  });
  const pins = createPins({ state, budget: requests.budget });

  const { inOrder } = state;

  async function prepare(how: PrepareOptions = {}): Promise<Request> {
    notes.onRequest();
    const first = await inOrder(() => requests.prepare("first", how.answer));
    if (first.kind === "request") return first.request;
    await automatic.beforeRequest(first.due, how);
    how.signal?.throwIfAborted();
    const second = await inOrder(() => requests.prepare("not-now", how.answer));
    // Asked not to speak of compaction, it has nothing else to answer.
    if (second.kind !== "request") throw new TypeError("No request was prepared.");
    return second.request;
  }

  const source = state.newestEntry === 0 ? (options.startedBy ?? "startup") : "resume";
  await inOrder(async () => {
    if (base !== undefined && state.newestEntry === base.sequence) await state.append([toDraft("fork", base.fork)]);
    await configure(options);
    const head = source === "resume" ? undefined : await surroundings.head?.();
    if (head !== undefined && head.trim() !== "") await contents.append([attachment(HEAD, head)]);
  });
  // A fork is no session of its own to those who are told of beginnings and ends.
  const started = fork === undefined ? startContents(await runHooks("SessionStart", { sessionId: id, source })) : [];
  if (started.length > 0) await inOrder(() => contents.append(started));
  let ending: Promise<unknown> | undefined;
  const session: Session<Request, Response> = {
    id,
    signal: ends,
    provider: {
      name: provider.name,
      send: (request, how) => provider.send(request, how),
      keepWarm: warmth.keepWarm,
    },
    view: {
      size: requests.size,
      accounting: (how) => account(state.view, how),
      openCalls: () => openCalls(state.view),
      tools: () => knownTools.find(state.configuration.tools),
      filesRead: requests.filesRead,
      attached: (type) => attachedTexts(state.view, type),
    },
    history: {
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
    },
    pins: {
      add: (what) => inOrder(() => pins.pin(what)),
      remove: (pin) => inOrder(() => pins.unpin(pin)),
      list: () => state.carriedState.pins,
    },
    notes: {
      read: notes.read,
      update: (how) => notes.update(how?.signal),
    },
    ledger: {
      totals: () => spentTokens(state.ledger),
      cost: () => inOrder(requests.cost),
      lines: () => readLedgerLines(state.log),
      enter: enterUsage,
    },
    events: {
      listen(listener) {
        // Its own object: whoever listens twice is told twice, and each ends for itself.
        const own: Listener = (event) => listener(event);
        listeners.add(own);
        return () => void listeners.delete(own);
      },
      emit: emit,
      runHooks,
    },
    background: {
      agents: () => state.carriedState.agents,
      enterAgent: (step, ...told) =>
        inOrder(async () => {
          const outcome = classifyStep(state.carriedState.agents, step);
          if (outcome === "entered") await contents.append(told, [toDraft("agent", step)]);
          return outcome;
        }),
      mark: (name) => state.carriedState.marks[name] ?? 0,
      setMark: (name, coveredTo) =>
        inOrder(async () => void (await state.append([toDraft("mark", { name, coveredTo })]))),
    },
    append: (content, how?: AppendOptions) =>
      isStreamed(content) ? contents.appendStream(content) : inOrder(() => appendOnce(state, contents, content, how)),
    messages: (how) => inOrder(() => listMessages(state, how)),
    erase: (entry) => inOrder(() => erase(entry, { session: resultSession ?? id, state, files })),
    prepare,
    async record(response, request) {
      const recorded = await inOrder(() => record(response, request));
      // A fork is forgotten, or has a parent whose notes know of it.
      if (fork === undefined) notes.afterResponse();
      return recorded;
    },
    recordInterrupted: (answer, request, how) => inOrder(() => recordInterrupted(answer, request, how)),
    recover: createRecovery({
      media: createMediaRecovery({ ...requests, state, emit }),
      state,
      compactions,
      settings,
      budget: requests.budget,
      newestRequest: requests.newestRequest,
      forecast: requests.forecast,
      announceFirst: automatic.announceFirst,
    }),
    configure: (wanted) => inOrder(() => configure(wanted)),
    settings: () => resolved,
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
    async close() {
      if (!closing.signal.aborted) watch?.closed();
      closing.abort();
      warmth.stop();
      await state.close();
      // Only then: however long they take, nobody who wants the session waits for them.
      if (fork === undefined) ending ??= runHooks("SessionEnd", { sessionId: id });
      await ending;
    },
  };
  return { session: checkArguments(session), requests };
}

function forkRequestOptions(
  { source, session, allowedTools }: ForkPayload,
  rest: Omit<ForkRequestOptions, "source" | "root">,
): ForkRequestOptions {
  return { source, root: session, allowedTools, ...rest };
}

/** What a fork's log continues; undefined if it is no fork's. */
async function findBase(store: Store, session: string, writer: LogWriter): Promise<Opening["base"]> {
  const [first] = await writer.read(1, 1);
  const read = first && readPayload(first);
  if (read?.kind !== "fork") return undefined;
  const { session: parent, sequence, hash } = read.payload;
  const reader = await store.openReader(parent);
  const [entry] = reader === undefined ? [] : await reader.read(sequence, sequence);
  if (reader === undefined || entry?.hash !== hash) {
    throw new SessionLostError(session, `it is a fork of session ${parent} at entry ${sequence}, which is not there`);
  }
  return { reader, sequence, fork: read.payload };
}
