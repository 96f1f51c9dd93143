import type { Dispatch } from "@palimpsest/coordination";
import type { NewContent, Session, Store } from "palimpsest";

/** What runs the sessions that a server shows: `fleetHost` for the workers of `@palimpsest/fleet`. The server itself runs no turns. */
export interface SessionHost {
  /** The sessions of one tenant. Costs nothing: it is called for each request. */
  tenant(name: string): TenantSessions;
  /** Whether sessions can be served, for `/health/ready`. @default always */
  health?(): Promise<HostHealth>;
}

/** Whether the host can serve, and its problems in words. */
export interface HostHealth {
  readonly state: "ready" | "degraded" | "down";
  /** Each says what to do. */
  readonly problems: readonly string[];
}

/** The sessions of one tenant. */
export interface TenantSessions {
  readonly store: Store;
  readonly dispatch: Pick<Dispatch, "schedule" | "approvals" | "events" | "forget">;
  /**
   * Opens a session in a store with the host's provider, tools and settings, or begins it. The store is `store` of this tenant to write, and a
   * snapshot in which nothing is kept to read. It takes the session over (`takeover: "always"`): the server has seen in the log that no turn
   * runs, and a worker that keeps the session open finds out and opens it anew.
   */
  open(session: string, store: Store, purpose: OpenPurpose): Promise<Session>;
  /** Takes a message for a session, durably and once for each key, and wakes the session. */
  say(session: string, message: SaidMessage): Promise<TakenInput>;
  /** Ends the turn that answers what was said so far, wherever it runs; in order with messages, and once for each key. */
  stop(session: string, request: StopRequest): Promise<TakenInput>;
}

/** What a session is opened for. To read, neither hooks should run nor events be reported: the session is not resumed. */
export type OpenPurpose = "read" | "write";

/** A message of the user. A repeated `key` adds it once. */
export interface SaidMessage {
  /** Names the message within its session: a message with the same key is taken once. */
  readonly key: string;
  readonly content: NewContent;
  /** The W3C trace context of the request that brought it: the turn belongs to its trace. @default a new trace */
  readonly traceparent?: string;
}

/** A request to stop a turn, and who asks. */
export interface StopRequest extends Pick<SaidMessage, "key" | "traceparent"> {
  /** Who wants it, for people to read. */
  readonly by: string;
  readonly reason?: string;
}

/** Whether an input was new, and whether its session will run. */
export interface TakenInput {
  /** `known`: the session was given this input before. `different`: it was given another one under this key. Both: nothing was stored. */
  readonly kind: "added" | "known" | "different";
  /** `set-aside`: the session ended its workers too often, and does not run until it is resumed. */
  readonly session: "woken" | "set-aside";
}
