import type { HeadDigests, WireRequest } from "../wire/read-request.ts";

/** A message of a thread, as the client sent it last. */
export interface ThreadItem {
  readonly digest: string;
  /** The calls that it answers. */
  readonly answers: readonly string[];
  readonly origin: "model" | "client";
}

/** One conversation of a session: the one that its user sees, or another one, such as a call for a title. Each has a log of its own. */
export interface Thread {
  readonly id: string;
  head: HeadDigests;
  items: readonly ThreadItem[];
  /** What it had before a request that did not continue it. If that goes on, these are two conversations. */
  left?: readonly ThreadItem[];
  /** The chain over `items`. */
  chain: string;
}

/** The conversations that belong together, by the client's own name or by their chain. */
export interface ProxySession {
  readonly api: WireRequest["api"];
  readonly upstream: string;
  /** The name that the client gave. */
  readonly name?: string;
  /** The name of the agent in the session, if it is not the first one. */
  readonly agent?: string;
  readonly threads: Thread[];
}

/**
 * How a request follows the one before it in its thread. `kept` counts messages that both begin with.
 * `begins`: there is none before. `continues`: begins with all of it. `cleared`: the same, but for results of tools that have other
 * content now. `branches`: goes on from an earlier message. `replaced`: nothing is left of it, as after a compaction by the client.
 */
export type Relation =
  | { readonly kind: "begins" }
  | { readonly kind: "continues"; readonly kept: number }
  | { readonly kind: "cleared"; readonly kept: number; readonly calls: readonly string[] }
  | { readonly kind: "branches"; readonly kept: number }
  | { readonly kind: "replaced" };

/** The request that a new one follows, and how. */
export interface Followed {
  readonly thread: Thread;
  readonly relation: Relation;
}
