import { randomUUID } from "node:crypto";
import { spentTokens } from "../cache/ledger.ts";
import { toDraft } from "../log/to-draft.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Settings } from "../settings/settings.ts";
import { recall } from "../stages/recall/recall.ts";
import { exportLog } from "../stores/export-log.ts";
import { memoryResults } from "../stores/memory-results.ts";
import type { LogWriter, Store, Takeover } from "../stores/store.ts";
import { account } from "../view/account.ts";
import { changeConfiguration, type WantedConfiguration } from "./change-configuration.ts";
import { createContents } from "./contents.ts";
import { createTell } from "./create-tell.ts";
import { createDecisions } from "./decisions.ts";
import { readLedgerLines } from "./read-ledger-lines.ts";
import { createRequests } from "./requests.ts";
import { createRunHooks, startContents } from "./run-hooks.ts";
import type { Session, SessionOptions } from "./session.ts";
import { InvalidOptionError, SessionBusyError } from "./session-errors.ts";
import { openSessionState } from "./session-state.ts";
import { readSettings } from "./settings-source.ts";

/** Opens a session, or begins one. */
export async function openSession<Request, Response, Message>(
  options: SessionOptions<Request, Response, Message>,
): Promise<Session<Request, Response>> {
  const { store, id = randomUUID(), maxOutputTokens = 20_000 } = options;
  if (!(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw new InvalidOptionError("maxOutputTokens", maxOutputTokens, "a whole number above 0");
  }
  const writer = await openWriter(store, id, options);
  try {
    return await openWith(writer, { ...options, id, maxOutputTokens });
  } catch (error) {
    await writer.close();
    throw error;
  }
}

async function openWith<Request, Response, Message>(
  writer: LogWriter,
  options: SessionOptions<Request, Response, Message> & { readonly id: string; readonly maxOutputTokens: number },
): Promise<Session<Request, Response>> {
  const { id, provider, clock = { now: Date.now }, files = memoryResults() } = options;
  const state = await openSessionState({ ...options, session: id, writer, clock });
  const askedFacts = new Map<string, ModelFacts>();
  const factsOf = (model: string): ModelFacts => askedFacts.get(model) ?? provider.factsOf(model);
  const { maxOutputTokens } = options;
  let resolved = await readSettings(options.settings);
  const settings = (): Settings => resolved.settings;
  const refreshSettings = async (): Promise<void> => {
    const fresh = await readSettings(options.settings);
    // The same object as long as nothing has changed, so that what follows from it is not worked out again.
    if (JSON.stringify(fresh) !== JSON.stringify(resolved)) resolved = fresh;
  };
  const tell = createTell({ ...options, session: id, clock });
  const runHooks = createRunHooks({ ...options, clock, tell });
  const contents = createContents({ session: id, state, settings, files, tell });
  const requests = createRequests({
    ...{ session: id, state, provider, factsOf, maxOutputTokens, settings, refreshSettings, files, clock, tell },
  });
  const decisions = createDecisions({ ...options, state, provider: provider.name });

  async function configure(wanted: WantedConfiguration): Promise<void> {
    const model = wanted.model ?? state.view.configuration?.model ?? options.model;
    if (options.modelFacts === "asked" && !askedFacts.has(model)) {
      askedFacts.set(model, await provider.fetchFacts(model));
    }
    const payload = changeConfiguration(state.view.configuration, { ...wanted, model, provider: provider.name });
    if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
  }

  const { inOrder } = state;
  const source = state.newestEntry === 0 ? "startup" : "resume";
  await inOrder(() => configure(options));
  const started = startContents(await runHooks("SessionStart", { sessionId: id, source }));
  if (started.length > 0) await inOrder(() => contents.append(started));
  let ending: Promise<unknown> | undefined;
  return {
    id,
    get newestEntry() {
      return state.newestEntry;
    },
    append: (...content) => inOrder(() => contents.append(content)),
    appendStream: (callId, chunks, status = "ok") => contents.appendStream(callId, chunks, status),
    async recall(request) {
      const recalled = await recall(request, { log: state.log, files, session: id });
      tell({ kind: "recalled", by: request.entry === undefined ? "search" : "entry", outcome: recalled.kind });
      return recalled;
    },
    settings: () => resolved,
    prepare: () => inOrder(requests.prepare),
    record: (response, request) => inOrder(() => requests.record(response, request)),
    configure: (wanted) => inOrder(() => configure(wanted)),
    replace: (range, replacements, reason) =>
      inOrder(() => decisions.replace({ ...range, with: replacements, reason })),
    fold: (range, replacements, reason) => inOrder(() => decisions.fold({ ...range, with: replacements, reason })),
    restore: (decision, reason = "restored") => inOrder(() => decisions.restore(decision, reason)),
    rewind: (to, reason = "rewound") => inOrder(() => decisions.rewind(to, reason)),
    size: requests.size,
    filesRead: requests.filesRead,
    usage: () => spentTokens(state.ledger),
    cost: () => inOrder(requests.cost),
    ledger: () => readLedgerLines(state.log),
    accounting: (how) => account(state.view, how),
    export: () => exportLog(state.log),
    async close() {
      await state.close();
      // Only then: however long they take, nobody who wants the session waits for them.
      ending ??= runHooks("SessionEnd", { sessionId: id });
      await ending;
    },
  };
}

async function openWriter(
  store: Store,
  session: string,
  { owner = `process ${process.pid}`, takeover = "if-free" }: { readonly owner?: string; readonly takeover?: Takeover },
): Promise<LogWriter> {
  const result = await store.openWriter(session, { owner, takeover });
  if (result.kind === "busy") throw new SessionBusyError({ session, ...result });
  return result.writer;
}
