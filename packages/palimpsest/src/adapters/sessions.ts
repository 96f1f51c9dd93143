// Keeps the sessions of an adapter open between calls, and finds the session of each call.

import type { Provider } from "../providers/provider.ts";
import { asObject, asString, asStrings } from "../schema/json-fields.ts";
import { openSession } from "../session/open.ts";
import type { InterruptedAnswer } from "../session/record-interrupted.ts";
import type { Session } from "../session/session.ts";
import type { SessionOptions } from "../state/options.ts";
import { checkPolicyOption } from "../state/policy.ts";
import { checkSettingsOptions } from "../state/settings.ts";
import type { Store } from "../stores/store.ts";
import { type Candidate, type Chain, chooseSession } from "./recognize.ts";

/** The session options that the application sets. The other options come with each call. */
export interface AdapterOptions
  extends Omit<
    SessionOptions,
    "provider" | "id" | "model" | "system" | "tools" | "parameters" | "takeover" | "modelFacts"
  > {
  readonly store: Store;
  /** A session is closed if it was not called for this long. The next call opens it again. @default 60,000 */
  readonly closeAfterMs?: number;
}

/** The parts of an adapter that differ between frameworks. */
export interface Adapter<Live> {
  /** The beginning of the ids of sessions that are recognized by their messages. */
  readonly prefix: string;
  /** The key in a session's metadata that holds its chain, by which the list is recognized. */
  readonly metadata: string;
  connect(first: Live): Connection<Live>;
}

/** The provider of one session. It uses the models, clients and headers of the framework's calls. */
export interface Connection<Live> {
  readonly provider: Provider;
  /** Passes the newest call to the provider, for the session's own model calls. */
  use(live: Live): void;
}

/** The parts of a framework's call that identify its session. */
export interface CallIdentity<Live> {
  /** The framework's own list: a retry brings the same object. */
  readonly list: object;
  /** The name that the application gave the session. */
  readonly key: string | undefined;
  readonly chain: Chain;
  readonly model: string;
  readonly live: Live;
}

/** The sessions that an adapter keeps open between calls. */
export interface AdapterSessions<Live> {
  /** Finds the session of a list of messages, or begins a new one. */
  find(call: CallIdentity<Live>): Promise<AdapterSession<Live>>;
  /** Forgets a session that another process took over. @param unrecorded an answer whose price is not in the log */
  drop(session: AdapterSession<Live>, unrecorded?: InterruptedAnswer): void;
  /** Returns the answers whose prices are missing from the session's log, and forgets them. */
  takeUnrecorded(session: AdapterSession<Live>): readonly InterruptedAnswer[];
  /** Returns the sessions that are open now. */
  open(): readonly Session[];
  /** Closes all sessions. */
  close(): Promise<void>;
}

/** An open session that calls use. */
interface AdapterSession<Live> {
  readonly session: Session;
  readonly provider: Pick<Provider, "readResponse">;
  /** The kinds of notices that were already reported. */
  readonly reportedNotices: Set<string>;
  /** Passes the newest call to the provider, for the session's own model calls. */
  use(live: Live): void;
  /** Runs work after the session's earlier work has ended. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Remembers the end of an answer, by which the next list is recognized. `durable` also saves it in the store. */
  rememberPoint(point: string, where: "here" | "durable"): Promise<void>;
  /** The list that the session shows. Answers to calls with older lists are left out of the view. */
  newestList: object | undefined;
  /** Ends the use by one call. @param onProblem called if the idle session cannot be closed */
  release(onProblem: (problem: Error) => void): void;
}

/** Creates the sessions of one adapter. A session is opened at its first call, and closed when it is idle. */
export function createAdapterSessions<Live>(
  { prefix, metadata: metadataName, connect }: Adapter<Live>,
  { store, closeAfterMs = 60_000, ...host }: AdapterOptions,
): AdapterSessions<Live> {
  // Sessions are opened in calls of the framework, which is too late to report a mistake in the options.
  checkSettingsOptions(host);
  checkPolicyOption(host.policy);
  type Tracked = TrackedSession<Live>;
  const opening = new Map<string, Promise<Tracked>>();
  const ready = new Map<string, Tracked>();
  // Calls under one name are distinguished by the head of the first call, so the first call must finish its search first.
  const [finding, working] = [createLanes(), createLanes()];
  const unrecorded = new Map<string, InterruptedAnswer[]>();
  // A retry brings the same list object, before an answer exists by which the list is recognized.
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

  /** A call under the same name for another purpose, such as a title for the conversation, must not rewind the session. */
  async function withKey(key: string, { head, points }: Chain): Promise<string> {
    const chainOfId = async (id: string) => ready.get(id)?.chain ?? chainIn(await store.readMetadata(id));
    const own = await chainOfId(key);
    if (own.head === undefined || own.head === head) return key;
    const current = ready.get(key);
    // Without an answer and without a waiting call, the user begins again after a failure or a stop.
    if (own.points.length === 0 && (current?.calls ?? 0) === 0) {
      if (current !== undefined) current.chain.head = head;
      return key;
    }
    const other = `${key}.${head.slice(0, 8)}`;
    return points.length === 0 || (await chainOfId(other)).head !== undefined ? other : key;
  }

  async function openFor(id: string, { model, live, chain: { head, points } }: CallIdentity<Live>): Promise<Tracked> {
    const { provider, use } = connect(live);
    // The application owns the list of messages, so the process with the newest list takes over the session.
    const session = await openSession({ ...host, store, provider, id, model, takeover: "always" });
    try {
      const saved = chainIn(await store.readMetadata(id));
      const chain = {
        head: saved.points.length === 0 ? head : (saved.head ?? head),
        points: saved.points.length === 0 ? points.slice(-MAXIMUM_POINTS) : [...saved.points],
      };
      if (saved.head !== chain.head) await save({ id, chain });
      return track({ id, session, provider, use, chain });
    } catch (error) {
      // No other code has a reference to the session.
      await session.close().catch(() => {});
      throw error;
    }
  }

  function track(opened: Pick<Tracked, "id" | "session" | "provider" | "use" | "chain">): Tracked {
    const tracked: Tracked = {
      ...opened,
      reportedNotices: new Set(),
      calls: 0,
      timer: undefined,
      newestList: undefined,
      inOrder: (work) => working.run(tracked.id, work),
      async rememberPoint(point, where) {
        const isFirst = tracked.chain.points.length === 0;
        tracked.chain.points = [...tracked.chain.points, point].slice(-MAXIMUM_POINTS);
        if (where === "durable" || isFirst) await save(tracked);
      },
      release(onProblem) {
        tracked.calls--;
        if (tracked.calls > 0) return;
        tracked.timer = setTimeout(() => void closeNow(tracked).catch(onProblem), closeAfterMs);
        tracked.timer.unref?.();
      },
    };
    return tracked;
  }

  async function save({ id, chain }: Pick<Tracked, "id" | "chain">): Promise<void> {
    await store.setMetadata(id, { ...(await store.readMetadata(id)), [metadataName]: chain });
  }

  function forget(tracked: Tracked): void {
    clearTimeout(tracked.timer);
    if (ready.get(tracked.id) !== tracked) return;
    ready.delete(tracked.id);
    opening.delete(tracked.id);
  }

  async function closeNow(tracked: Tracked): Promise<void> {
    forget(tracked);
    await tracked.session.close();
  }

  function chainIn(metadata: unknown): { readonly head?: string; readonly points: readonly string[] } {
    const saved = asObject(asObject(metadata)?.[metadataName]);
    const head = asString(saved?.["head"]);
    return { points: asStrings(saved?.["points"]), head };
  }

  async function find(call: CallIdentity<Live>): Promise<Tracked> {
    const id = await idOf(call);
    const opened = opening.get(id) ?? openFor(id, call);
    opening.set(id, opened);
    try {
      const tracked = await opened;
      ready.set(id, tracked);
      clearTimeout(tracked.timer);
      tracked.calls++;
      return tracked;
    } catch (error) {
      opening.delete(id);
      throw error;
    }
  }

  return {
    find: (call) => (call.key === undefined ? find(call) : finding.run(call.key, () => find(call))),
    takeUnrecorded({ session: { id } }) {
      const answers = unrecorded.get(id) ?? [];
      unrecorded.delete(id);
      return answers;
    },
    drop(lost, answer) {
      const { id } = lost.session;
      if (answer !== undefined) unrecorded.set(id, [...(unrecorded.get(id) ?? []), answer]);
      forget(lost as Tracked);
      // The session is lost already. Closing it only frees resources of this process.
      lost.session.close().catch(() => {});
    },
    open: () => [...ready.values()].map(({ session }) => session),
    async close() {
      // Includes sessions that are still being opened.
      const opened = await Promise.allSettled(opening.values());
      const tracked = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      await Promise.all(tracked.map(closeNow));
    },
  };
}

/** An edit further back than this many answers begins another session, unless the session has a name. */
const MAXIMUM_POINTS = 32;

/** A session with the data by which it is found, and closed when it is idle. */
interface TrackedSession<Live> extends AdapterSession<Live> {
  readonly id: string;
  readonly chain: { head: string; points: string[] };
  /** The number of calls that use the session now. */
  calls: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Runs work in order per name. Work under different names runs independently. */
interface Lanes {
  /** Runs work after the earlier work under this name has ended, even if that work failed. */
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

/** The calls that used a session. */
export interface KnownCalls<Live> {
  /** Returns the newest call with this model; the first call if no call used the model. */
  ofModel(id: string): Live;
  newest(): Live;
}

/** Connects a session to its framework. The session's own model calls use the models and options of the newest call. */
export function connectNewest<Live extends { readonly id: string }>(
  first: Live,
  create: (calls: KnownCalls<Live>) => Provider,
): Connection<Live> {
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
