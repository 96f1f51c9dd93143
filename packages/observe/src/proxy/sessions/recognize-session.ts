import { createHash } from "node:crypto";
import type { WireRequest } from "../wire/read-request.ts";
import type { GivenNames } from "../wire/wire-apis.ts";
import { followThread } from "./follow-thread.ts";
import type { ProxySession, Relation, Thread, ThreadItem } from "./thread.ts";

/** A request with what its sender said about itself. */
export interface SentRequest {
  readonly request: WireRequest;
  readonly items: readonly ThreadItem[];
  readonly names: GivenNames;
  readonly upstream: string;
  /** Of the credential, salted: two users of one service never share a session. */
  readonly credential: string;
}

/** Where a request belongs. Nothing is kept until `keep`. */
export interface Recognized {
  readonly session: ProxySession;
  readonly thread: Thread;
  readonly relation: Relation;
  /** Messages that the service keeps: the request has only those after them. @default it has all */
  readonly heldItems?: readonly ThreadItem[];
}

export interface Sessions {
  recognize(sent: SentRequest): Recognized;
  /** Notes that the service answered: the next request follows this one. */
  keep(recognized: Recognized, sent: SentRequest, responseId?: string): void;
}

/** More sessions than one machine has at a time. The one that was quiet longest is forgotten, and begins anew. */
const MAX_SESSIONS = 2_000;
/** Of services that keep conversations. The oldest are forgotten. */
const MAX_RESPONSES = 20_000;
/** Of one session: agents make small calls beside their conversation, which nothing follows. */
const MAX_THREADS = 50;

/**
 * Recognizes sessions by the names that clients give, and always also by a chain of digests over their messages. Without a name, a
 * request belongs to a session only if it begins with all that the session sent last, and no other session sent the same. It never
 * guesses: what cannot be decided begins a new session.
 *
 * @param newId names a thread
 */
export function createSessions(newId: () => string): Sessions {
  const named = new Map<string, ProxySession>();
  /** Sessions without a name, by the chain of their last request. A set: two sessions may have sent the same. */
  const byChain = new Map<string, Set<ProxySession>>();
  const byResponse = new Map<string, HeldResponse>();
  /** In the order of their last request. */
  const recent = new Map<ProxySession, string>();

  function forgetOldest(): void {
    const [oldest] = recent;
    if (recent.size <= MAX_SESSIONS || oldest === undefined) return;
    const [session, key] = oldest;
    recent.delete(session);
    named.delete(key);
    for (const { chain } of session.threads) leaveChain(chain, session);
  }

  function leaveChain(chain: string, session: ProxySession): void {
    const same = byChain.get(chain);
    same?.delete(session);
    if (same?.size === 0) byChain.delete(chain);
  }

  function noteResponse(id: string, held: HeldResponse): void {
    byResponse.set(id, held);
    const [oldest] = byResponse.keys();
    if (byResponse.size > MAX_RESPONSES && oldest !== undefined) byResponse.delete(oldest);
  }

  function begin({ request, names, upstream }: SentRequest): ProxySession {
    const { session: name = request.cacheKey, agent } = names;
    const given = { name, agent };
    return { api: request.api, upstream, threads: [], ...given };
  }

  function beginThread(sent: SentRequest, session: ProxySession = begin(sent)): Recognized {
    const thread = { id: newId(), head: sent.request.head, items: [], chain: "" };
    return { session, thread, relation: { kind: "begins" } };
  }

  return {
    recognize(sent) {
      const { request, items } = sent;
      if (request.previousResponse !== undefined) {
        const held = byResponse.get(scoped(sent, request.previousResponse));
        return held === undefined ? beginThread(sent) : follow(held);
      }
      const key = nameKey(sent);
      const known = key === undefined ? findByChain(byChain, sent) : named.get(key);
      const followed = known && followThread(known.threads, { items, head: request.head });
      if (known !== undefined && followed !== undefined) return { session: known, ...followed };
      return beginThread(sent, known);
    },
    keep({ session, thread, relation, heldItems }, sent, responseId) {
      const { request, items } = sent;
      if (relation.kind !== "begins" && relation.kind !== "continues") thread.left = thread.items;
      leaveChain(thread.chain, session);
      thread.items = heldItems === undefined ? items : [...heldItems, ...items];
      thread.head = request.head;
      thread.chain = chainsOf(sent, thread.items).at(-1) ?? "";
      if (!session.threads.includes(thread)) session.threads.push(thread);
      if (session.threads.length > MAX_THREADS) leaveChain(session.threads.shift()!.chain, session);
      const key = nameKey(sent);
      // Clients that name their sessions always do.
      if (key === undefined)
        byChain.set(thread.chain, (byChain.get(thread.chain) ?? new Set<ProxySession>()).add(session));
      if (responseId !== undefined && request.api === "responses") {
        noteResponse(scoped(sent, responseId), { session, thread, items: thread.items });
      }
      if (key !== undefined) named.set(key, session);
      recent.delete(session);
      recent.set(session, key ?? "");
      forgetOldest();
    },
  };
}

interface HeldResponse {
  readonly session: ProxySession;
  readonly thread: Thread;
  /** The messages that the thread had then. */
  readonly items: readonly ThreadItem[];
}

function follow({ session, thread, items }: HeldResponse): Recognized {
  const kind = items === thread.items ? "continues" : "branches";
  return { session, thread, relation: { kind, kept: items.length }, heldItems: items };
}

function findByChain(
  byChain: ReadonlyMap<string, ReadonlySet<ProxySession>>,
  sent: SentRequest,
): ProxySession | undefined {
  const found = new Set(chainsOf(sent, sent.items).flatMap((chain) => [...(byChain.get(chain) ?? [])]));
  return found.size === 1 ? [...found][0] : undefined;
}

/** The name in a header goes before the one in the body, which is there to find a cache. */
function nameKey(sent: SentRequest): string | undefined {
  const { session = sent.request.cacheKey, agent = "" } = sent.names;
  return session === undefined ? undefined : scoped(sent, JSON.stringify([session, agent]));
}

function scoped({ upstream, credential, request }: SentRequest, what: string): string {
  return JSON.stringify([upstream, credential, request.api, what]);
}

/** The chain after each message: a digest of the message and of the chain before it. */
function chainsOf(sent: SentRequest, items: readonly ThreadItem[]): readonly string[] {
  const chains: string[] = [];
  let chain = scoped(sent, sent.names.agent ?? "");
  for (const { digest } of items) {
    chain = createHash("sha256").update(chain).update(digest).digest("base64url");
    chains.push(chain);
  }
  return chains;
}
