// Opens a session: checks the options, opens the log, writes the first entries, and makes the public object of the session.

import { CALL_LIMITS, type CallLimits } from "../compact/summary/model-calls.ts";
import { ledgerOfFork, spentTokens } from "../cost/ledger.ts";
import { InvalidOptionError, SessionLostError } from "../errors.ts";
import type { OpenFork } from "../forks/forks.ts";
import { readPayload, toDraft } from "../log/entry.ts";
import { headAttachment, headText, isStreamed } from "../log/messages.ts";
import { isProvenance } from "../log/provenance.ts";
import { policyOfSettings } from "../presets/coding.ts";
import {
  aFunction,
  anObject,
  aText,
  checkArgument,
  checkOptions,
  ifGiven,
  type Needed,
  withMethods,
} from "../schema/check-options.ts";
import { isJson } from "../schema/json-fields.ts";
import { type ForkBase, type Opening, openCore, type SessionCore, startContents } from "../state/core.ts";
import { cachedReader, OPENING, openWriter } from "../state/log.ts";
import type { SessionOptions } from "../state/options.ts";
import { changedRules, checkPolicyOption, describePolicy } from "../state/policy.ts";
import { enterUsage } from "../state/responses.ts";
import { checkSettingsOptions } from "../state/settings.ts";
import { exportLog } from "../stores/export-log.ts";
import type { EntryBatch, Store } from "../stores/store.ts";
import { account } from "../view/account.ts";
import { attachedTexts } from "../view/items.ts";
import { openCalls } from "../view/turn.ts";
import { configure, searchTools } from "./configure.ts";
import { fold, mark, replace, restore, rewind, snip } from "./decisions.ts";
import { erase } from "./erase.ts";
import { readLedgerLines } from "./ledger-lines.ts";
import { listMessages } from "./list-messages.ts";
import { LiveSession } from "./live-session.ts";
import { pin, unpin } from "./pins.ts";
import type { Session } from "./session.ts";
import { decide, next, stop, takeIn, taken } from "./turn.ts";

/** Opens the session with the given id, or starts a new one. */
export async function openSession<Request, Response, Message>(
  options: SessionOptions<Request, Response, Message>,
): Promise<Session<Request, Response>> {
  return openWith(options, CALL_LIMITS);
}

/** The same with other limits for the calls of a compaction. */
export async function openWith<Request, Response, Message>(
  options: SessionOptions<Request, Response, Message>,
  limits: CallLimits,
): Promise<Session<Request, Response>> {
  checkSessionOptions(options);
  const { store, id = crypto.randomUUID(), maxOutputTokens = 1 } = options;
  if (!(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw new InvalidOptionError("maxOutputTokens", maxOutputTokens, "a whole number above 0");
  }
  checkSettingsOptions(options);
  checkPolicyOption(options.policy);
  const { writer, ...log } = await openWriter(store, id, options);
  try {
    const opened = log.opened ?? (await writer.readBatch(OPENING));
    const base = await findBase(store, id, opened);
    return face(await open(id, options, { writer, opened, base }, limits));
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Finds the log that a fork continues. Undefined if the session is not a fork. */
async function findBase(
  store: Store,
  session: string,
  { entries: [first] }: EntryBatch,
): Promise<ForkBase | undefined> {
  const read = first && readPayload(first);
  if (read?.kind !== "fork") return undefined;
  const { session: parent, sequence, hash, configuration } = read.payload;
  // Read the same entries as if the parent were opened and its log ended there.
  const options = { ...OPENING, upTo: sequence, ranges: [...OPENING.ranges, { from: sequence, to: sequence }] };
  const opened = await store.openReader(parent, { read: options });
  const reader = opened && cachedReader(opened, options, opened.batch ?? (await opened.readBatch(options)));
  const [entry] = reader === undefined ? [] : await reader.read(sequence, sequence);
  if (reader === undefined || entry?.hash !== hash) {
    throw new SessionLostError(
      session,
      `it is a fork of session ${parent} at entry ${sequence}, and that entry does not exist`,
    );
  }
  return { reader, sequence, configuration, fork: read.payload };
}

async function open(id: string, options: SessionOptions, opening: Opening, limits: CallLimits): Promise<LiveSession> {
  const core = await openCore(id, options, opening, policyOfSettings);
  const openFork: OpenFork<Session> = async (fork) => {
    const opened = await open(fork.id, optionsOfFork(core), fork, limits);
    return { session: face(opened), outlet: opened.outlet };
  };
  const live = new LiveSession(core, openFork, limits);
  await begin(live);
  return live;
}

/** A fork has the options of its parent, except the configuration, which comes from the log of the parent. */
function optionsOfFork({ options, ports, state }: SessionCore): SessionOptions {
  const { system: _, tools: __, parameters: ___, ...rest } = options;
  return { ...rest, clock: ports.clock, model: state.configuration.model };
}

/** Writes the first entries: the fork's origin, the configuration, the host's head, and the content of hooks. */
async function begin(live: LiveSession): Promise<void> {
  const { id, options, state, ports, fork, inlet } = live;
  const source = state.newestEntry === 0 ? (options.startedBy ?? "startup") : "resume";
  await state.inOrder(async () => {
    if (fork !== undefined && state.newestEntry === fork.base.sequence)
      await state.append([toDraft("fork", { ...fork.base.fork, ledger: ledgerOfFork(state.ledger, fork.source) })]);
    const { system, ...rest } = options;
    // A fork keeps the system prompt of its parent, also if the host opens it again with another one.
    await configure(live, fork?.head === "parent" ? rest : options);
    const head = source === "resume" ? undefined : await ports.host.head?.();
    if (head !== undefined && headText(head).trim() !== "") await inlet.append([headAttachment(head)]);
  });
  // Hooks run for sessions that the host opens, not for their forks.
  if (fork !== undefined) return;
  tellChangedPolicy(live);
  const results = await ports.runHooks("SessionStart", { sessionId: id, source });
  const started = startContents(results, live.measures.budget().windowTokens);
  if (started.length > 0) await state.inOrder(() => inlet.append(started));
}

/** Emits `policy-changed` if another policy made the newest decision. */
function tellChangedPolicy({ policy, state, ports }: LiveSession): void {
  // A policy that cannot be used stops the session here, and not in its first turn.
  const now = describePolicy(policy.current);
  const recorded = state.carriedState.policy;
  if (recorded === undefined) return;
  const rules = changedRules(recorded, now);
  if (rules.length > 0) ports.emit({ kind: "policy-changed", from: recorded.name, to: now.name, rules });
}

// ------------------------------------------------------------------------------------------------ the public object
// A plain object with its own functions, so that you can spread it and pass its methods on.

type Group = "provider" | "view" | "turn" | "history" | "pins" | "notes" | "ledger" | "events" | "background";
type MethodOf<Part> = {
  [Name in keyof Part]: Part[Name] extends (...args: never) => unknown ? Name & string : never;
}[keyof Part];
/** The path of a method: `append`, or `pins.add` for a method of a group. */
type Member = MethodOf<Session> | { [Name in Group]: `${Name}.${MethodOf<Session[Name]>}` }[Group];
type MethodAt<Path> = Path extends `${infer Name extends Group}.${infer Method}`
  ? Session[Name][Method & keyof Session[Name]]
  : Session[Path & keyof Session];

interface MemberRule<Method> {
  /** Throws an `InvalidOptionError` if an argument is wrong. */
  readonly check?: (...args: readonly unknown[]) => void;
  readonly run: Method extends (...args: infer Args) => infer Result
    ? (live: LiveSession, ...args: Args) => Result
    : never;
  /** Whether the member writes for a turn. It is refused once the process has lost its right to the turn. */
  readonly writes?: true;
  /** Whether the member throws errors at once. Other members return a promise that rejects. */
  readonly throws?: true;
}

const CONTENT: Needed = {
  needed: "a text, or the result of user(), toolResult(), attachment() or a provider's readMessages()",
  fits: (value) => typeof value === "string" || (typeof value === "object" && value !== null && !isStreamed(value)),
};
const APPEND_OPTIONS = ifGiven({
  needed:
    '{ key, provenance, answer: "wanted" }, with a non-empty key and a provenance like { kind: "outside" }; pass several contents as one list',
  fits: (value) => {
    const { key = "?", provenance, answer = "wanted", ...others } = value as Readonly<Record<string, unknown>>;
    const isNamed = provenance === undefined || isProvenance(provenance);
    const isValid = answer === "wanted" && Object.keys(others).length === 0;
    return typeof key === "string" && key !== "" && isNamed && isValid;
  },
});
const NO_OPTIONS: Needed = { needed: "no options: a streamed result has no key", fits: (value) => value === undefined };
const SYNC_MESSAGES: Needed = {
  needed: "a list of messages, each with a role (system, user or assistant) and content (a text, or blocks)",
  fits: (value) => Array.isArray(value) && value.every(isSyncMessage),
};
const ENTRY: Needed = { needed: "the number of an entry", fits: Number.isInteger };
const RESPONSE: Needed = {
  needed: "a whole response of the provider; readStream(provider.send(request)) reads a stream to its end",
  fits: (value) => typeof value === "object" && value !== null && !(Symbol.asyncIterator in value),
};
const RANGE: Needed = {
  needed: "{ from, to }, both numbers of entries",
  fits: (value) => {
    const { from, to } = (value ?? {}) as { readonly from?: unknown; readonly to?: unknown };
    return Number.isInteger(from) && Number.isInteger(to);
  },
};
const REPLACEMENTS: Needed = { needed: "a list of replacements, each with a role and blocks", fits: Array.isArray };
const REASON = ifGiven(aText("a text with the reason"));
const HOW = ifGiven(anObject("an object of options"));

const MODEL = aText("the name of a model");
const SYSTEM: Needed = { needed: "a text", fits: (value) => typeof value === "string" };
const PARAMETERS = anObject("an object with fields of the provider's request");
const TOOLS: Needed = {
  needed: "a list of tools made by tool(), or of definitions, each with a name and an inputSchema",
  fits: (value) => Array.isArray(value) && value.every(isToolOrDefinition),
};

/** Every boundary carries the marks, so they must stay small. */
const MARK_CHARACTERS = 10_000;
const MARK_VALUE: Needed = {
  needed: `a JSON value of at most ${MARK_CHARACTERS} characters`,
  fits: (value) => isJson(value) && JSON.stringify(value).length <= MARK_CHARACTERS,
};
const COUNT: Needed = { needed: "a whole number, at least 1", fits: isCount };
const MESSAGES_OPTIONS: Needed = {
  needed: "{ before, limit, attachments }, with a limit of at least 1",
  fits: (value) => {
    const { limit = 1, before = 1 } = (value ?? {}) as { readonly limit?: unknown; readonly before?: unknown };
    return isCount(limit) && Number.isInteger(before);
  },
};
const DECISION: Needed = {
  needed: '{ kind: "allow" } or { kind: "deny", reason }, with the name of the person: { by }',
  fits: (value) => ["allow", "deny"].includes((value as { readonly kind?: string } | undefined)?.kind ?? ""),
};
const PINNED: Needed = {
  needed: "a text, or the number of an entry",
  fits: (value) => (typeof value === "string" && value !== "") || Number.isInteger(value),
};

/** Every method of the public session: the code that it runs, and its requirements for arguments. */
const MEMBERS: { readonly [Path in Member]: MemberRule<MethodAt<Path>> } = {
  append: {
    run: (live, content, ...options: readonly []) => live.append(content, ...options),
    check: checkAppend,
    writes: true,
  },
  sync: {
    run: (live, messages) => live.sync(messages),
    check: (messages) => checkArgument("sync(messages)", messages, SYNC_MESSAGES),
  },
  prepare: {
    run: (live, options) => live.prepare(options),
    check: (options) => checkArgument("prepare(options)", options, HOW),
    writes: true,
  },
  record: {
    run: (live, response, request, options) => live.record(response, request, options),
    check: (response) => checkArgument("record(response)", response, RESPONSE),
    writes: true,
  },
  recover: { run: (live, error, signal) => live.recover(error, signal), writes: true },
  configure: {
    run: (live, configuration) => live.configure(configuration),
    check: (configuration) =>
      checkOptions("configure", configuration, {
        model: ifGiven(MODEL),
        system: ifGiven(SYSTEM),
        tools: ifGiven(TOOLS),
        parameters: ifGiven(PARAMETERS),
      }),
    writes: true,
  },
  compact: {
    run: (live, options) => live.compact(options),
    check: (options) => checkArgument("compact(options)", options, HOW),
  },
  recall: {
    run: (live, request) => live.recall(request),
    check: (request) => checkArgument("recall(request)", request, anObject("{ entry } or { search }")),
  },
  fork: {
    run: (live, options) => live.openFork(options),
    check: (options) => checkOptions("fork", options, { source: aText("a name for the purpose of the fork") }),
  },
  ask: {
    run: (live, question, options) => live.ask(question, options),
    check(question, options) {
      checkArgument("ask(question)", question, aText("a text"));
      checkOptions("ask", options, { source: aText("a name for the purpose of the question") });
    },
  },
  messages: {
    run: (live, options) => live.state.inOrder(() => listMessages(live.state, options)),
    check: (options) => checkArgument("messages(options)", options, MESSAGES_OPTIONS),
  },
  erase: {
    run: (live, entry) => live.state.inOrder(() => erase(live, entry)),
    check: (entry) => checkArgument("erase(entry)", entry, ENTRY),
  },
  mark: {
    run: (live, name, value) => live.state.inOrder(() => mark(live.state, name, value)),
    check(name, value) {
      checkArgument("mark(name)", name, aText("a name"));
      checkArgument("mark(name, value)", value, MARK_VALUE);
    },
    writes: true,
  },
  settings: { run: (live) => live.settings.resolved },
  close: { run: (live) => live.close() },

  "provider.send": { run: (live, request, options) => live.ports.provider.send(request, options) },
  "provider.keepWarm": {
    run: (live, options) => live.warmth.keepWarm(options),
    check: (options) => checkArgument("provider.keepWarm(options)", options, anObject("an object of options")),
  },

  "view.size": { run: (live) => live.measures.size() },
  "view.accounting": {
    run: (live, options) => account(live.state.view, options),
    check: (options) => checkArgument("view.accounting(options)", options, HOW),
    throws: true,
  },
  "view.openCalls": { run: (live) => openCalls(live.state.view).map(({ call }) => call) },
  "view.tools": { run: (live) => live.ports.tools.find(live.state.configuration.tools) },
  "view.deferredTools": { run: (live) => live.deferredTools() },
  "view.searchTools": { run: (live, input) => searchTools(live.deferredTools(), input) },
  "view.filesRead": { run: (live) => live.outlet.filesRead() },
  "view.attached": { run: (live, ...types) => attachedTexts(live.state.view, types) },

  "turn.next": { run: (live) => next(live) },
  "turn.decide": {
    run: (live, callId, decision) => live.state.inOrder(() => decide(live, callId, decision)),
    check(callId, decision) {
      checkArgument("turn.decide(callId)", callId, aText("the id of a call"));
      checkArgument("turn.decide(callId, decision)", decision, DECISION);
    },
  },
  "turn.stop": {
    run: (live, by = {}) => live.state.inOrder(() => stop(live, by)),
    check: (by) => checkArgument("turn.stop(said)", by, HOW),
    writes: true,
  },
  "turn.takeIn": {
    run: (live, item) => live.state.inOrder(() => takeIn(live, item)),
    check: (item) =>
      checkOptions("turn.takeIn", item, {
        queue: aText("the name of the queue"),
        number: { needed: "the number of the item: a whole number, at least 1", fits: isCount },
      }),
  },
  "turn.taken": {
    run: (live, queue) => live.state.inOrder(() => taken(live, queue)),
    check: (queue) => checkArgument("turn.taken(queue)", queue, aText("the name of the queue")),
  },
  "turn.recordInterrupted": {
    run: (live, answer, request, options) => live.recordInterrupted(answer, request, options),
    writes: true,
  },
  "turn.enterCall": { run: (live, step) => live.enterCall(step), writes: true },
  "turn.enterStep": { run: (live, step, ...content) => live.enterStep(step, content), writes: true },

  "history.rewind": {
    run: (live, to, reason = "rewound") => live.state.inOrder(() => rewind(live, to, reason)),
    check: (to) => checkArgument("history.rewind(to)", to, ENTRY),
  },
  "history.replace": {
    run: (live, range, replacements, reason) =>
      live.state.inOrder(() => replace(live, { ...range, with: replacements, reason })),
    check: checkReplacement("history.replace"),
  },
  "history.fold": {
    run: (live, range, replacements, reason) =>
      live.state.inOrder(() => fold(live, { ...range, with: replacements, reason })),
    check: checkReplacement("history.fold"),
  },
  "history.snip": {
    run: (live, target, reason = "not needed any more") => live.state.inOrder(() => snip(live, target, reason)),
    check: (target) =>
      checkArgument(
        "history.snip(target)",
        target,
        anObject("the content to remove: { from, to }, or { entry, block }"),
      ),
  },
  "history.restore": {
    run: (live, decision, reason = "restored") => live.state.inOrder(() => restore(live, decision, reason)),
    check: (decision) => checkArgument("history.restore(decision)", decision, ENTRY),
  },
  "history.decision": { run: (live) => live.measures.decisions.explain(), throws: true },
  "history.explain": {
    run: (live, limit) => live.explain(limit),
    check: (limit) => checkArgument("history.explain(limit)", limit, ifGiven(COUNT)),
  },
  "history.export": { run: (live) => exportLog(live.state.log) },

  "pins.add": {
    run: (live, what) => live.state.inOrder(() => pin(live, what)),
    check: (what) => checkArgument("pins.add(what)", what, PINNED),
  },
  "pins.remove": {
    run: (live, number) => live.state.inOrder(() => unpin(live, number)),
    check: (number) =>
      checkArgument("pins.remove(pin)", number, {
        needed: "the number that pins.add() returned",
        fits: Number.isInteger,
      }),
  },
  "pins.list": { run: (live) => live.state.carriedState.pins },

  "notes.read": { run: (live) => live.notes.read() },
  "notes.latest": { run: (live) => live.notes.latest() },
  "notes.update": {
    run: (live, options) => live.notes.update(options),
    check: (options) => checkArgument("notes.update(options)", options, HOW),
  },

  "ledger.totals": { run: (live) => spentTokens(live.state.ledger) },
  "ledger.cost": { run: (live) => live.state.inOrder(() => live.outlet.cost()) },
  // Earlier responses in the log of a fork belong to its parent.
  "ledger.lines": { run: (live) => readLedgerLines(live.state.log, (live.fork?.base.sequence ?? 0) + 1) },
  "ledger.enter": {
    run: (live, used) => enterUsage(live, used),
    check: (used) => checkOptions("ledger.enter", used, { model: MODEL, source: aText("a name for the caller") }),
  },

  "events.listen": {
    run: (live, listener) => live.ports.events.listen(listener),
    check: (listener) => checkArgument("events.listen(listener)", listener, aFunction("a function that takes events")),
    throws: true,
  },
  "events.emit": { run: (live, event) => live.ports.emit(event) },
  "events.runHooks": { run: (live, event, input, options) => live.ports.runHooks(event, input, options) },

  "background.agents": { run: (live) => live.state.carriedState.agents },
  "background.enterAgent": {
    run: (live, step, ...content) => live.enterAgent(step, content),
    check: (step) => checkArgument("background.enterAgent(step)", step, anObject("a step of an agent")),
    writes: true,
  },
  "background.readTo": {
    run: (live, name) => live.state.carriedState.readers[name] ?? 0,
    check: (name) => checkArgument("background.readTo(name)", name, aText("a name")),
    throws: true,
  },
  "background.setReadTo": {
    run: (live, name, coveredTo) => live.setReadTo(name, coveredTo),
    check(name, coveredTo) {
      checkArgument("background.setReadTo(name)", name, aText("a name"));
      checkArgument("background.setReadTo(name, coveredTo)", coveredTo, ENTRY);
    },
  },
};

type AnyMethod = (...args: readonly unknown[]) => unknown;
type Methods = Record<string, AnyMethod>;
type AnyRule = Omit<MemberRule<AnyMethod>, "run"> & { run(live: LiveSession, ...args: readonly unknown[]): unknown };
const RULES = Object.entries(MEMBERS) as [Member, AnyRule][];

/** Builds the public session. */
function face(live: LiveSession): Session {
  const session: object = {
    id: live.id,
    signal: live.ports.signal,
    provider: { name: live.ports.provider.name },
    view: {},
    turn: {},
    history: {
      get newestEntry() {
        return live.state.newestEntry;
      },
    },
    pins: {},
    notes: {},
    ledger: {},
    events: {},
    background: {},
  };
  for (const [path, { run, check, throws }] of RULES) {
    const [methods, name] = placeOf(session, path);
    methods[name] = (...args) => {
      try {
        check?.(...args);
      } catch (error) {
        if (throws) throw error;
        return Promise.reject(error);
      }
      return run(live, ...args);
    };
  }
  return session as Session;
}

/**
 * Returns a session whose writing members call `guard` first. The session may be a copy in which the host has replaced
 * methods.
 */
export function guardWrites(session: Session, guard: () => void): Session {
  const { background, turn } = session;
  const guarded: Session = { ...session, background: { ...background }, turn: { ...turn } };
  for (const [path, { writes }] of RULES) {
    if (writes === undefined) continue;
    const [methods, name] = placeOf(guarded, path);
    const write = methods[name]!;
    methods[name] = async (...args) => {
      guard();
      return write(...args);
    };
  }
  return guarded;
}

/** Finds the object that contains a member, and the member's name in it. */
function placeOf(session: object, path: Member): readonly [Methods, string] {
  const [name, group] = path.split(".").reverse() as [string, Group?];
  const methods: object = group === undefined ? session : (session as Pick<Session, Group>)[group];
  return [methods as Methods, name];
}

function checkAppend(content: unknown, options: unknown): void {
  if (isStreamed(content)) {
    checkArgument("append(toolResult(callId, stream))", content.callId, aText("the id of a call"));
    checkArgument("append(toolResult(callId, stream), options)", options, NO_OPTIONS);
    return;
  }
  for (const one of Array.isArray(content) ? content : [content]) checkArgument("append(content)", one, CONTENT);
  checkArgument("append(content, options)", options, APPEND_OPTIONS);
}

function checkReplacement(of: string) {
  return (range: unknown, replacements: unknown, reason: unknown): void => {
    checkArgument(`${of}(range)`, range, RANGE);
    checkArgument(`${of}(range, replacements)`, replacements, REPLACEMENTS);
    checkArgument(`${of}(range, replacements, reason)`, reason, REASON);
  };
}

/** Checks the options of `openSession`. */
function checkSessionOptions(options: unknown): void {
  checkOptions("openSession", options, {
    store: withMethods(["openWriter", "openReader"], "a store: memoryStore(), sqliteStore({ folder }), or your own"),
    provider: withMethods(
      ["factsOf", "renderRequest", "readResponse"],
      "a provider: one of this package with your client, or your own",
    ),
    model: ifGiven(MODEL),
    id: ifGiven(aText("a text, or no id for a new session")),
    system: ifGiven(SYSTEM),
    tools: ifGiven(TOOLS),
    parameters: ifGiven(PARAMETERS),
    onEvent: ifGiven(aFunction("a function that takes events")),
  });
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1;
}

function isToolOrDefinition(value: unknown): boolean {
  const { name, inputSchema, execute } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isRunnable = execute === undefined || typeof execute === "function";
  return typeof name === "string" && typeof inputSchema === "object" && inputSchema !== null && isRunnable;
}

function isSyncMessage(value: unknown): boolean {
  const { role, content } = (value ?? {}) as { readonly role?: unknown; readonly content?: unknown };
  const isValid = role === "system" || role === "user" || role === "assistant";
  return isValid && (typeof content === "string" || Array.isArray(content));
}
