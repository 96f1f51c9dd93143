import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { openSession, type Session, type SessionOptions, type Store } from "palimpsest";
import { asObject, asString, asStrings, type ExtraModels } from "palimpsest/core";
import { type LanguageModelOptions, languageModel } from "../provider/language-model.ts";
import type { AiSdkMessage, AiSdkRequest, AiSdkResponse } from "../provider/wire.ts";
import { type Candidate, type Chain, chooseSession } from "./recognize.ts";

/** Options of the session that are the host's. The others come with each call. */
type HostOptions = Omit<
  SessionOptions<AiSdkRequest, AiSdkResponse, AiSdkMessage>,
  "provider" | "id" | "model" | "system" | "tools" | "parameters" | "takeover" | "modelFacts"
>;

export interface SessionsOptions extends HostOptions, Pick<LanguageModelOptions, "cacheMark"> {
  readonly store: Store;
  /** Facts of models by the start of their ids, for models that are in no table. @default {} */
  readonly models?: ExtraModels;
  /** A session that nobody has called for this long is closed. The next call opens it again. @default 60,000 */
  readonly closeAfterMs?: number;
}

/** A session that calls are made for. */
export interface OpenSession {
  readonly session: Session<AiSdkRequest, AiSdkResponse>;
  /** Kinds of notices that were given. */
  readonly told: Set<string>;
  /** Makes a model known, and the headers of the newest call, for calls that the session makes by itself. */
  use(model: LanguageModelV4, headers: LanguageModelV4CallOptions["headers"]): void;
  /** Runs work when the work before it is done. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Remembers the end of an answer, by which the next list is recognized. `durable`: in the store, too. */
  note(point: string, where: "here" | "durable"): Promise<void>;
  /** One call less that uses it. */
  release(): void;
}

export interface Sessions {
  /** Finds the session that a list of messages belongs to, or begins one. */
  find(call: {
    readonly prompt: object;
    readonly key: string | undefined;
    readonly chain: Chain;
    readonly model: LanguageModelV4;
  }): Promise<OpenSession>;
  /** Forgets a session that another process has taken over. */
  drop(open: OpenSession): void;
  open(): readonly OpenSession[];
  close(): Promise<void>;
}

interface Held extends OpenSession {
  readonly id: string;
  readonly chain: { head: string; points: string[] };
  calls: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Under this name, metadata of a session have what its list is recognized by. */
const METADATA = "aiSdk";
/** Edits further back than so many answers begin another session, unless the session is named. */
const MAXIMUM_POINTS = 32;

export function createSessions({
  store,
  models,
  cacheMark,
  closeAfterMs = 60_000,
  ...host
}: SessionsOptions): Sessions {
  const held = new Map<string, Promise<Held>>();
  const ready = new Map<string, Held>();
  // A retry brings the same prompt again, before there is an answer to recognize it by.
  const byPrompt = new WeakMap<object, string>();

  async function idOf(prompt: object, key: string | undefined, chain: Chain): Promise<string> {
    const known = byPrompt.get(prompt);
    const id = known ?? (key === undefined ? await recognize(chain) : await withKey(key, chain));
    byPrompt.set(prompt, id);
    return id;
  }

  async function recognize({ head, points }: Chain): Promise<string> {
    const prefix = `ai-${head}-`;
    const candidates = new Map<string, Candidate>();
    for (let after: string | undefined = prefix; after !== undefined; ) {
      const page: Awaited<ReturnType<Store["list"]>> = await store.list({ after });
      const own = page.sessions.filter(({ id }) => id.startsWith(prefix));
      for (const { id, metadata } of own) candidates.set(id, { id, points: chainIn(metadata).points });
      after = own.length === page.sessions.length ? page.next : undefined;
    }
    for (const { id, chain } of ready.values())
      if (id.startsWith(prefix)) candidates.set(id, { id, points: chain.points });
    return chooseSession(points, [...candidates.values()]) ?? `${prefix}${crypto.randomUUID().slice(0, 8)}`;
  }

  /** A call under the same name about something else, such as a title for the conversation, must not rewind it. */
  async function withKey(key: string, { head, points }: Chain): Promise<string> {
    const headOf = async (id: string) => ready.get(id)?.chain.head ?? chainIn(await store.readMetadata(id)).head;
    const own = await headOf(key);
    if (own === undefined || own === head) return key;
    const other = `${key}.${head.slice(0, 8)}`;
    return points.length === 0 || (await headOf(other)) !== undefined ? other : key;
  }

  async function openHeld(id: string, model: LanguageModelV4, { head, points }: Chain): Promise<Held> {
    const known = new Map([[model.modelId, model]]);
    let headers: LanguageModelV4CallOptions["headers"];
    const provider = languageModel((wanted) => known.get(wanted) ?? model, {
      headers: () => headers,
      ...(models && { models }),
      ...(cacheMark && { cacheMark }),
    });
    // The list of messages is the application's: whoever has the newest one goes on with it.
    const session = await openSession({ ...host, store, provider, id, model: model.modelId, takeover: "always" });
    const saved = chainIn(await store.readMetadata(id));
    let tail: Promise<unknown> = Promise.resolve();
    const one: Held = {
      id,
      session,
      told: new Set(),
      chain: {
        head: saved.head ?? head,
        points: saved.points.length === 0 ? points.slice(-MAXIMUM_POINTS) : [...saved.points],
      },
      calls: 0,
      timer: undefined,
      use(used, given) {
        known.set(used.modelId, used);
        headers = given;
      },
      inOrder(work) {
        const result = tail.then(work, work);
        tail = result.catch(() => {});
        return result;
      },
      async note(point, where) {
        const isFirst = one.chain.points.length === 0;
        one.chain.points = [...one.chain.points, point].slice(-MAXIMUM_POINTS);
        if (where === "durable" || isFirst) await save(one);
      },
      release() {
        one.calls--;
        if (one.calls > 0) return;
        one.timer = setTimeout(() => void closeHeld(one), closeAfterMs);
        one.timer.unref?.();
      },
    };
    if (saved.head === undefined) await save(one);
    return one;
  }

  async function save({ id, chain }: Held): Promise<void> {
    await store.setMetadata(id, { ...(await store.readMetadata(id)), [METADATA]: chain });
  }

  function forget(one: Held): void {
    clearTimeout(one.timer);
    if (ready.get(one.id) !== one) return;
    ready.delete(one.id);
    held.delete(one.id);
  }

  async function closeHeld(one: Held): Promise<void> {
    forget(one);
    await one.session.close();
  }

  return {
    async find({ prompt, key, chain, model }) {
      const id = await idOf(prompt, key, chain);
      const opening = held.get(id) ?? openHeld(id, model, chain);
      held.set(id, opening);
      try {
        const one = await opening;
        ready.set(id, one);
        clearTimeout(one.timer);
        one.calls++;
        return one;
      } catch (error) {
        held.delete(id);
        throw error;
      }
    },
    drop(open) {
      forget(open as Held);
      // It is lost already; what is left are resources of this process.
      open.session.close().catch(() => {});
    },
    open: () => [...ready.values()],
    async close() {
      await Promise.all([...ready.values()].map(closeHeld));
    },
  };
}

function chainIn(metadata: unknown): { readonly head?: string; readonly points: readonly string[] } {
  const saved = asObject(asObject(metadata)?.[METADATA]);
  const head = asString(saved?.["head"]);
  return { points: asStrings(saved?.["points"]), ...(head === undefined ? {} : { head }) };
}
