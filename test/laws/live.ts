import { setImmediate } from "node:timers/promises";
import {
  attachment,
  InvalidOptionError,
  memoryResults,
  memoryStore,
  messageOf,
  NoSuchEntryError,
  NothingToSendError,
  notice,
  openSession,
  type ResultFiles,
  type Session,
  type Store,
  type ToolDefinition,
  toolResult,
  user,
  WindowFullError,
} from "palimpsest";
import { type PassedOver, type ReadEntry, readPayload } from "palimpsest/inspect";
import { readOverflow } from "palimpsest/provider-parts";
import type { Entry, LogReader, OpenWriterResult } from "palimpsest/store-parts";
import { checkCleared } from "./check-cleared.ts";
import type { Operation } from "./operations.ts";
import { POLICIES, type PolicyName } from "./policies.ts";
import type { World } from "./worlds.ts";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

/** `look` and `read` say nothing of their results; `write` and `ask` do. */
const TOOLS: readonly ToolDefinition[] = [
  { name: "look", inputSchema: { type: "object" } },
  { name: "read", inputSchema: { type: "object" } },
  { name: "write", inputSchema: { type: "object" }, sideEffects: "some", results: "clearable" },
  { name: "ask", inputSchema: { type: "object" }, sideEffects: "some" },
];
const KEPT = ["ask"];
const SYSTEMS = ["", "Be brief.", "Be kind.\nAlways."];

/** What went wrong, for a law that does not hold. */
class BrokenLaw extends Error {}

interface Life {
  readonly id: string;
  /** The newest entry of the log before. */
  readonly begunAt: number;
  readonly openLog: NonNullable<Storage["openLog"]>;
  readonly world: World;
  readonly store: Store;
  readonly policy: PolicyName;
  /** Where large results go: outlives the sessions, as a folder does. */
  readonly files: ResultFiles;
  readonly clock: { nowMs: number; now(): number };
  /** Model calls and operations of the store that are under way, also those of notes and compactions in the background. */
  readonly beside: { calls: number };
  session: Session;
  /** The blocks of the last request, and the newest entry then. */
  sent: { readonly blocks: readonly string[]; readonly entry: number };
  /** What tools returned, by entry. */
  readonly results: Map<number, string>;
  readonly calls: string[];
  readonly decisions: number[];
  /** Requests by the entry they were made at. */
  readonly requests: { readonly entry: number; readonly json: string }[];
}

/** How often that happened which is tested. */
export interface Lived {
  readonly requests: number;
  readonly cleared: number;
  readonly stored: number;
  /** Responses to requests of which the provider has left something out. */
  readonly leftOut: number;
  readonly compacted: number;
  readonly noted: number;
  /** Requests that delete results from the cached prompt. */
  readonly deleting: number;
  /** What was sent, and the newest entry then. */
  readonly sent: Life["requests"];
}

/** Where a life keeps its log and its large results. */
export interface Storage extends Pick<Life, "store" | "files"> {
  /** @default "s" */
  readonly id?: string;
  /** Reads the whole log of a session that is not in one place, as a fork's. @default that of the store */
  readonly openLog?: () => Promise<Pick<LogReader, "head" | "read">>;
}

/** Does the operations one after the other, and holds every request to the laws. */
export async function live(
  world: World,
  operations: readonly Operation[],
  policy: PolicyName,
  storage?: Storage,
): Promise<Lived> {
  const clock = {
    nowMs: 0,
    now() {
      return this.nowMs;
    },
  };
  const {
    store: slowStore,
    files,
    id = "s",
    openLog,
  } = storage ?? {
    files: memoryResults(),
    store: memoryStore({ clock, leaseMs: 0 }),
  };
  const beside = { calls: 0 };
  const store = counting(slowStore, beside);
  const ofStore = async (): Promise<LogReader> => (await store.openReader(id))!;
  const base = { world, policy, clock, store, files, id, openLog: openLog ?? ofStore, beside };
  const begunAt = (await (await store.openReader(id))?.head())?.sequence ?? 0;
  const life: Life = {
    ...base,
    begunAt,
    session: await open(base, { system: SYSTEMS[1]!, tools: TOOLS }),
    sent: { blocks: [], entry: 0 },
    results: new Map(),
    calls: [],
    decisions: [],
    requests: [],
  };
  let requests = 0;
  for (const operation of [...operations, { do: "reopen" }] satisfies Operation[]) {
    if (await act(life, operation)) requests++;
  }
  return { requests, sent: life.requests, ...(await checkDecisions(life)) };
}

type Base = Pick<Life, "id" | "world" | "store" | "files" | "clock" | "policy" | "beside">;

function open({ id, world, store, files, clock, policy, beside }: Base, more: object = {}): Promise<Session> {
  const { choices } = world;
  const provider: World["provider"] = {
    ...world.provider,
    async *send(request, signal) {
      beside.calls++;
      try {
        return yield* world.provider.send(request, signal);
      } finally {
        beside.calls--;
      }
    },
  };
  return openSession({
    id,
    store,
    files,
    provider,
    policy: POLICIES[policy],
    settingsFrom: { environment: {} },
    clock,
    ...choices[0]!,
    ...more,
  });
}

/** What the stages decided: nothing is cleared twice or that must stay, and everything can be had back. */
async function checkDecisions(life: Life): Promise<Omit<Lived, "requests" | "sent">> {
  const entries = await entriesBehind(life, 0);
  const byEntry = new Map(entries.map((entry) => [entry.sequence, readPayload(entry)]));
  const decided = [...byEntry.values()]
    .filter((read) => read.kind === "replace")
    .filter(({ payload }) => payload.reason !== "test");
  const cleared = decided.filter(({ payload }) => payload.reason.startsWith("cleared"));
  const [problem] = checkCleared(entries, {
    kept: KEPT,
    keepNewest: 1,
    decidedElsewhereTo: life.begunAt,
  });
  if (problem !== undefined) throw new BrokenLaw(problem);
  for (const [entry, content] of life.results) {
    const recalled = await life.session.recall({ entry });
    const text = recalled.kind === "text" ? recalled.text : recalled.kind;
    const whole = content.trim() === "" ? "(no output)" : content;
    const matches = recalled.kind === "text" && recalled.next !== undefined ? whole.startsWith(text) : whole === text;
    if (!matches)
      throw new BrokenLaw(`entry ${entry} is recalled as ${text.slice(0, 80)} instead of ${whole.slice(0, 80)}`);
  }
  const stored = [...byEntry.values()].filter((read) => read.kind === "message" && read.payload.stored !== undefined);
  const leftOut = [...byEntry.values()].filter((read) => read.kind === "usage" && read.payload.appliedEdits);
  const count = (counts: (read: ReadEntry | PassedOver) => boolean): number =>
    [...byEntry.values()].filter(counts).length;
  return {
    cleared: cleared.length,
    stored: stored.length,
    leftOut: leftOut.length,
    compacted: count((read) => read.kind === "boundary" && read.payload.compaction !== undefined),
    noted: count((read) => read.kind === "notes"),
    deleting: count((read) => read.kind === "request" && (read.payload.cache?.deleted?.length ?? 0) > 0),
  };
}

async function entriesBehind({ openLog }: Life, entry: number): Promise<readonly Entry[]> {
  const reader = await openLog();
  return reader.read(entry + 1, (await reader.head()).sequence);
}

/** Counts the operations of a store, and of the logs that it opens for writing, while they are under way. */
function counting(store: Store, beside: Life["beside"]): Store {
  return counted(store, beside, (opened) =>
    isOpened(opened) ? { ...opened, writer: counted(opened.writer, beside, (result) => result) } : opened,
  );
}

function isOpened(result: unknown): result is Extract<OpenWriterResult, { kind: "opened" }> {
  return typeof result === "object" && result !== null && "writer" in result;
}

function counted<Counted extends object>(
  of: Counted,
  beside: Life["beside"],
  opened: (result: unknown) => unknown,
): Counted {
  return new Proxy(of, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        const result: unknown = member.apply(target, given);
        if (!(result instanceof Promise)) return result;
        beside.calls++;
        return result.then(opened).finally(() => beside.calls--);
      };
    },
  });
}

/** Waits until the work in the background is over, so that a case gives the same log each time. */
async function settle({ beside, session }: Life): Promise<void> {
  let newest = -1;
  for (let quiet = 0; quiet < QUIET_ROUNDS; quiet++) {
    await setImmediate();
    if (beside.calls > 0 || session.history.newestEntry !== newest) quiet = 0;
    newest = session.history.newestEntry;
  }
}
const QUIET_ROUNDS = 3;

async function act(life: Life, operation: Operation): Promise<boolean> {
  const { session, world } = life;
  switch (operation.do) {
    case "say":
      await session.append(operation.text);
      return false;
    case "show":
      await session.append(user([{ kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } }]));
      return false;
    case "attach":
      await session.append(attachment("reminder", operation.text));
      return false;
    case "notice":
      await session.append(notice("working"));
      return false;
    case "import":
      await session.append(deepFrozen(operation.message));
      return false;
    case "answer-calls":
      for (const pick of operation.picks) {
        const callId = life.calls.at(-1 - pick) ?? "unknown";
        const content = operation.content === "image" ? IMAGE_PARTS : operation.content;
        const [entry] = await session.append(toolResult(callId, content, operation.status));
        if (typeof content === "string") life.results.set(entry!, content);
      }
      return false;
    case "ask":
    case "lose":
    case "interrupt": {
      const request = await prepare(life);
      if (request === undefined) return false;
      const answered = world.answer(request, operation.reply);
      if ("message" in answered) {
        // How large the first request is by the model's own measure is only known from what the provider says to it.
        if (readOverflow(answered)?.by === "tokens") return true;
        throw new BrokenLaw(`refused: ${answered.message}`);
      }
      if (operation.do === "lose") return true;
      if (operation.do === "interrupt") {
        const { responseId, model, usage } = world.provider.readResponse(answered.response);
        const { outputTokens: _, ...input } = usage;
        const calls = operation.reply.words.flatMap((one) => (one.kind === "tool-call" ? [one.name] : []));
        const reported = operation.report === "input" ? { usage: input } : {};
        await session.turn.recordInterrupted({ responseId, model, text: operation.text, calls, ...reported }, request);
        return true;
      }
      if (operation.meanwhile !== undefined) await session.append(operation.meanwhile.text);
      await meanwhile(life, operation.meanwhile?.next);
      const { calls } = await session.record(answered.response, request);
      if (operation.meanwhile?.next === "record-twice") await session.record(answered.response, request);
      life.calls.push(...calls.map(({ id }) => id));
      await settle(life);
      return true;
    }
    case "configure":
      await configure(session, wanted(life, operation));
      return false;
    case "come-back":
      life.clock.nowMs += operation.minutes * 60_000;
      await session.append(operation.text);
      return false;
    case "rewind":
      return decide(async () => {
        await session.history.rewind(Math.max(0, session.history.newestEntry - operation.back));
      });
    case "rewind-to-request":
      return decide(async () => {
        const earlier = life.requests.at(-1 - operation.back);
        if (earlier === undefined || earlier.entry >= session.history.newestEntry) return;
        await session.history.rewind(earlier.entry);
        if (JSON.stringify(await session.prepare()) !== earlier.json) throw new BrokenLaw("rewound is not as it was");
      });
    case "replace":
    case "fold":
      return decide(async () => {
        const from = Math.max(1, session.history.newestEntry - operation.back);
        const range = { from, to: Math.min(session.history.newestEntry, from + operation.length) };
        const act = operation.do === "fold" ? session.history.fold : session.history.replace;
        life.decisions.push(await act(range, operation.with === "nothing" ? [] : [SUMMARY], "test"));
      });
    case "restore":
      return decide(async () => {
        const decision = life.decisions.pop();
        if (decision !== undefined) await session.history.restore(decision);
      });
    case "reopen": {
      const request = await prepare(life);
      const cost = await spentBySession(session);
      const spent = await spentByLines(session);
      life.session = await open(life, { model: undefined, parameters: undefined, takeover: "always" });
      const again = await prepare(life);
      if (JSON.stringify(again) !== JSON.stringify(request)) throw new BrokenLaw("resumed is not live");
      if ((await spentBySession(life.session)) !== cost) throw new BrokenLaw("a resume has changed the ledger");
      if (life.session.ledger.totals().outputTokens !== spent)
        throw new BrokenLaw("the ledger has lost what was spent");
      return request !== undefined;
    }
  }
}

/** What else may happen between a request and its response. */
async function meanwhile(
  life: Life,
  next: NonNullable<(Operation & { do: "ask" })["meanwhile"]>["next"] | undefined,
): Promise<void> {
  const { session } = life;
  const to = session.history.newestEntry;
  if (next === "send") await prepare(life);
  if (next === "configure") await configure(session, { system: `Be ${to}.` });
  if (next === "rewind") await decide(() => session.history.rewind(Math.max(0, to - 3)));
  if (next === "replace" || next === "fold") {
    await decide(async () => {
      life.decisions.push(await session.history[next]({ from: Math.max(1, to - 3), to }, [SUMMARY], "test"));
    });
  }
}

/** The cost so far. The forecast is left out: it counts the next decision, which waits for the user after a session was opened. */
async function spentBySession(session: Session): Promise<string> {
  const { nextRequest: _, ...spent } = await session.ledger.cost();
  return JSON.stringify(spent);
}

/** Read from the whole log, on whatever branch. */
async function spentByLines(session: Session): Promise<number> {
  let tokens = 0;
  for await (const { outputTokens } of session.ledger.lines()) tokens += outputTokens;
  return tokens;
}

const SUMMARY = {
  role: "user",
  blocks: [{ kind: "text", text: "Earlier: this and that." }],
  origin: "summary",
} as const;

const IMAGE_PARTS = [
  { kind: "text", text: "a picture:" },
  { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } },
] as const;

/** A decision about entries that are not shown is refused. */
async function decide(decision: () => Promise<void>): Promise<boolean> {
  try {
    await decision();
  } catch (error) {
    if (!NoSuchEntryError.isInstance(error)) throw error;
  }
  return false;
}

/** A fork refuses another system prompt. */
async function configure(session: Session, wanted: Parameters<Session["configure"]>[0]): Promise<void> {
  try {
    await session.configure(wanted);
  } catch (error) {
    if (!(InvalidOptionError.isInstance(error) && messageOf(error).includes("is a fork"))) throw error;
  }
}

function wanted(
  { world }: Life,
  { change, pick }: Extract<Operation, { do: "configure" }>,
): Parameters<Session["configure"]>[0] {
  switch (change) {
    case "system":
      return { system: SYSTEMS[pick % SYSTEMS.length] };
    case "tools":
      return { tools: TOOLS.slice(pick % 3) };
    case "model":
      return world.choices[pick % world.choices.length]!;
  }
}

/** Entries that say that what was sent before may be sent in another way. */
const CHANGES = ["configuration", "replace", "boundary", "restore", "rewind"];

/** The next request, if there is something to send: accepted by the judge later, and held to its predecessor here. */
async function prepare(life: Life): Promise<unknown> {
  try {
    const request = await life.session.prepare();
    const blocks = life.world.blocks(request);
    const said = (await entriesBehind(life, life.sent.entry)).some(({ kind }) => CHANGES.includes(kind));
    const broken = said ? -1 : life.sent.blocks.findIndex((block, index) => block !== blocks[index]);
    if (broken >= 0) throw new BrokenLaw(`block ${broken} moved: ${life.sent.blocks[broken]} became ${blocks[broken]}`);
    life.sent = { blocks, entry: life.session.history.newestEntry };
    life.requests.push({ entry: life.session.history.newestEntry, json: JSON.stringify(request) });
    return request;
  } catch (error) {
    if (NothingToSendError.isInstance(error) || WindowFullError.isInstance(error)) return undefined;
    throw error;
  }
}

/** What is handed in is not changed: a change would throw. */
function deepFrozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}
