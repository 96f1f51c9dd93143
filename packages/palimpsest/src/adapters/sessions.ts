import type { Provider } from "../providers/provider.ts";
import { asObject, asString, asStrings } from "../schema/json-fields.ts";
import { openSession } from "../session/open.ts";
import type { InterruptedAnswer } from "../session/record-interrupted.ts";
import type { Session } from "../session/session.ts";
import type { SessionOptions } from "../state/options.ts";
import type { Store } from "../stores/store.ts";
import { type Candidate, type Chain, chooseSession } from "./recognize.ts";

/** Options of sessions behind a framework that are the application's. The others come with each call. */
export interface DoorOptions<Request, Response, Message>
  extends Omit<
    SessionOptions<Request, Response, Message>,
    "provider" | "id" | "model" | "system" | "tools" | "parameters" | "takeover" | "modelFacts"
  > {
  readonly store: Store;
  /** A session that nobody has called for this long is closed. The next call opens it again. @default 60,000 */
  readonly closeAfterMs?: number;
}

/** What is different from one framework to the other. */
export interface Door<Request, Response, Message, Live> {
  /** Ids of sessions that were recognized by their messages begin with it. */
  readonly prefix: string;
  /** Under this name, metadata of a session have what its list is recognized by. */
  readonly metadata: string;
  connect(first: Live): Connection<Request, Response, Message, Live>;
}

/** The provider of one session, over what the framework's calls bring: models, clients, headers. */
export interface Connection<Request, Response, Message, Live> {
  readonly provider: Provider<Request, Response, Message>;
  /** Makes the newest call known, for calls that the session makes by itself. */
  use(live: Live): void;
}

/** A call of a framework, as far as its session is found by it. */
export interface CallIdentity<Live> {
  /** The framework's own list: a retry brings the same object. */
  readonly list: object;
  /** The name that the application has given the session. */
  readonly key: string | undefined;
  readonly chain: Chain;
  readonly model: string;
  readonly live: Live;
}

/** The sessions that a door keeps open between calls. */
export interface DoorSessions<Request, Response, Live> {
  /** Finds the session that a list of messages belongs to, or begins one. */
  find(call: CallIdentity<Live>): Promise<HeldSession<Request, Response, Live>>;
  /** Forgets a session that another process has taken over. @param owed an answer whose price is not in the log */
  drop(held: HeldSession<Request, Response, Live>, owed?: InterruptedAnswer): void;
  /** Answers whose prices the session's log lacks: once. */
  takeOwed(held: HeldSession<Request, Response, Live>): readonly InterruptedAnswer[];
  open(): readonly Session<Request, Response>[];
  close(): Promise<void>;
}

/** A session that calls are made for. */
interface HeldSession<Request, Response, Live> {
  readonly session: Session<Request, Response>;
  readonly provider: Pick<Provider<Request, Response>, "readResponse">;
  /** Kinds of notices that were given. */
  readonly told: Set<string>;
  use(live: Live): void;
  /** Runs work when the work before it is done. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Remembers the end of an answer, by which the next list is recognized. `durable`: in the store, too. */
  note(point: string, where: "here" | "durable"): Promise<void>;
  /** The list of the call that the session follows: answers to other calls are no part of what it shows. */
  newest: object | undefined;
  /** One call less that uses it. @param onProblem is told why the session could not be closed later */
  release(onProblem: (problem: Error) => void): void;
}

/** The sessions behind one door. They are opened when they are called, and closed when nobody calls them. */
export function createDoorSessions<Request, Response, Message, Live>(
  { prefix, metadata: metadataName, connect }: Door<Request, Response, Message, Live>,
  { store, closeAfterMs = 60_000, ...host }: DoorOptions<Request, Response, Message>,
): DoorSessions<Request, Response, Live> {
  type One = Held<Request, Response, Live>;
  const opening = new Map<string, Promise<One>>();
  const ready = new Map<string, One>();
  // Calls under one name are told apart by how the first of them begins: it has to be known first.
  const [finding, working] = [createLanes(), createLanes()];
  const owed = new Map<string, InterruptedAnswer[]>();
  // A retry brings the same list again, before there is an answer to recognize it by.
  const byList = new WeakMap<object, { readonly key: string | undefined; readonly id: string }>();

  async function idOf({ list, key, chain }: CallIdentity<Live>): Promise<string> {
    const known = byList.get(list);
    if (known !== undefined && known.key === key) return known.id;
    const id = key === undefined ? await recognize(chain) : await withKey(key, chain);
    byList.set(list, { key, id });
    return id;
  }

  async function recognize({ head, points }: Chain): Promise<string> {
    const start = `${prefix}${head}-`;
    const candidates = new Map<string, Candidate>();
    for (let after: string | undefined = start; after !== undefined; ) {
      const page: Awaited<ReturnType<Store["list"]>> = await store.list({ after });
      const own = page.sessions.filter(({ id }) => id.startsWith(start));
      for (const { id, metadata } of own) candidates.set(id, { id, points: chainIn(metadata).points });
      after = own.length === page.sessions.length ? page.next : undefined;
    }
    for (const { id, chain } of ready.values())
      if (id.startsWith(start)) candidates.set(id, { id, points: chain.points });
    return chooseSession(points, [...candidates.values()]) ?? `${start}${crypto.randomUUID().slice(0, 8)}`;
  }

  /** A call under the same name about something else, such as a title for the conversation, must not rewind it. */
  async function withKey(key: string, { head, points }: Chain): Promise<string> {
    const chainOfId = async (id: string) => ready.get(id)?.chain ?? chainIn(await store.readMetadata(id));
    const own = await chainOfId(key);
    if (own.head === undefined || own.head === head) return key;
    const held = ready.get(key);
    // Nothing was answered yet, and nobody waits for an answer: the user begins again, after a failure or a stop.
    if (own.points.length === 0 && (held?.calls ?? 0) === 0) {
      if (held !== undefined) held.chain.head = head;
      return key;
    }
    const other = `${key}.${head.slice(0, 8)}`;
    return points.length === 0 || (await chainOfId(other)).head !== undefined ? other : key;
  }

  async function openHeld(id: string, { model, live, chain: { head, points } }: CallIdentity<Live>): Promise<One> {
    const { provider, use } = connect(live);
    // The list of messages is the application's: whoever has the newest one goes on with it.
    const session = await openSession({ ...host, store, provider, id, model, takeover: "always" });
    try {
      const saved = chainIn(await store.readMetadata(id));
      const chain = {
        head: saved.points.length === 0 ? head : (saved.head ?? head),
        points: saved.points.length === 0 ? points.slice(-MAXIMUM_POINTS) : [...saved.points],
      };
      if (saved.head !== chain.head) await save({ id, chain });
      return hold({ id, session, provider, use, chain });
    } catch (error) {
      // Nobody else knows that it is open.
      await session.close().catch(() => {});
      throw error;
    }
  }

  function hold(opened: Pick<One, "id" | "session" | "provider" | "use" | "chain">): One {
    const one: One = {
      ...opened,
      told: new Set(),
      calls: 0,
      timer: undefined,
      newest: undefined,
      inOrder: (work) => working.run(one.id, work),
      async note(point, where) {
        const isFirst = one.chain.points.length === 0;
        one.chain.points = [...one.chain.points, point].slice(-MAXIMUM_POINTS);
        if (where === "durable" || isFirst) await save(one);
      },
      release(onProblem) {
        one.calls--;
        if (one.calls > 0) return;
        one.timer = setTimeout(() => void closeHeld(one).catch(onProblem), closeAfterMs);
        one.timer.unref?.();
      },
    };
    return one;
  }

  async function save({ id, chain }: Pick<One, "id" | "chain">): Promise<void> {
    await store.setMetadata(id, { ...(await store.readMetadata(id)), [metadataName]: chain });
  }

  function forget(one: One): void {
    clearTimeout(one.timer);
    if (ready.get(one.id) !== one) return;
    ready.delete(one.id);
    opening.delete(one.id);
  }

  async function closeHeld(one: One): Promise<void> {
    forget(one);
    await one.session.close();
  }

  function chainIn(metadata: unknown): { readonly head?: string; readonly points: readonly string[] } {
    const saved = asObject(asObject(metadata)?.[metadataName]);
    const head = asString(saved?.["head"]);
    return { points: asStrings(saved?.["points"]), ...(head === undefined ? {} : { head }) };
  }

  async function find(call: CallIdentity<Live>): Promise<One> {
    const id = await idOf(call);
    const held = opening.get(id) ?? openHeld(id, call);
    opening.set(id, held);
    try {
      const one = await held;
      ready.set(id, one);
      clearTimeout(one.timer);
      one.calls++;
      return one;
    } catch (error) {
      opening.delete(id);
      throw error;
    }
  }

  return {
    find: (call) => (call.key === undefined ? find(call) : finding.run(call.key, () => find(call))),
    takeOwed(held) {
      const { id } = held as One;
      const taken = owed.get(id) ?? [];
      owed.delete(id);
      return taken;
    },
    drop(held, answer) {
      const { id } = held as One;
      if (answer !== undefined) owed.set(id, [...(owed.get(id) ?? []), answer]);
      forget(held as One);
      // It is lost already; what is left are resources of this process.
      held.session.close().catch(() => {});
    },
    open: () => [...ready.values()].map(({ session }) => session),
    async close() {
      // Those that are being opened, too: a call may have begun just now.
      const opened = await Promise.allSettled(opening.values());
      await Promise.all(opened.flatMap((one) => (one.status === "fulfilled" ? [closeHeld(one.value)] : [])));
    },
  };
}

/** Edits further back than so many answers begin another session, unless the session is named. */
const MAXIMUM_POINTS = 32;

interface Held<Request, Response, Live> extends HeldSession<Request, Response, Live> {
  readonly id: string;
  readonly chain: { head: string; points: string[] };
  calls: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Work under one name is done in order; work under other names does not wait for it. */
interface Lanes {
  /** Runs work when the work before it is done, whatever became of that. */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(name, work) {
      const result = (tails.get(name) ?? Promise.resolve()).then(work);
      const tail = result
        .catch(() => {})
        .then(() => {
          if (tails.get(name) === tail) tails.delete(name);
        });
      tails.set(name, tail);
      return result;
    },
  };
}

/** The calls that a session has been used by. */
export interface KnownCalls<Live> {
  /** The newest call of a model, or the first one of all. */
  ofModel(id: string): Live;
  newest(): Live;
}

/** Connects a session to its framework: models and options of calls that it makes by itself are those of the newest call. */
export function connectNewest<Request, Response, Message, Live extends { readonly id: string }>(
  first: Live,
  create: (calls: KnownCalls<Live>) => Provider<Request, Response, Message>,
): Connection<Request, Response, Message, Live> {
  const known = new Map([[first.id, first]]);
  let newest = first;
  return {
    provider: create({ ofModel: (id) => known.get(id) ?? first, newest: () => newest }),
    use(live) {
      known.set(live.id, live);
      newest = live;
    },
  };
}
