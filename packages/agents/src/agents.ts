import type { PeerMessage } from "@palimpsest/coordination";
import type { Inbox, QueryEvent, Tool } from "palimpsest";
import type { AgentEnd } from "./agent-result.ts";
import type { MessageSent } from "./message-tool.ts";
import type { KnownAgent, WantedAgent } from "./start-agent.ts";

/** An agent as the log knows it, and as it is now if it runs in this process. */
export interface ListedAgent extends KnownAgent {
  readonly live?: LiveState;
}

export interface LiveState {
  /** What it is doing, in a few words; only while somebody follows it. */
  readonly phrase?: string;
  readonly rounds: number;
  /** Of its own session, those read from the cache included. */
  readonly tokens: number;
  readonly priceUsd: number;
  readonly elapsedMs: number;
}

export interface Agents {
  /** `Agent`, unless agents are off, and `SendMessage`: to stand behind the session's own tools in its list. */
  readonly tools: readonly Tool[];
  /** For the session's queries: results of agents that have ended, and messages to the session. */
  readonly inbox: Inbox;
  /** Starts one; `done` resolves when it has ended and never rejects. Its result comes through the inbox. */
  start(wanted: WantedAgent): Promise<StartedAgent>;
  /** Ends one, and resolves when it has ended. */
  stop(id: string): Promise<"stopped" | "not-running">;
  /** Sends a message in the session's name. */
  send(to: string, body: string, summary?: string): Promise<MessageSent>;
  /** Takes a message that another session has sent to this one's socket; resolves when it is in the log. */
  take(message: PeerMessage): Promise<void>;
  list(): readonly ListedAgent[];
  /** Tells the listener what happens in one that runs, and has it asked now and then what it is doing. Returns what ends it. */
  follow(id: string, listener: (event: AgentFollowed) => void): () => void;
  /** Resolves when the inbox has something, or when nothing runs any more. */
  idle(): Promise<"waiting" | "nothing-runs">;
  /**
   * Waits for mail of other processes, and tells the session's listeners of it; the next turn takes it in. `over`: the signal
   * came, or there is no mailbox to wait at.
   */
  waitForMail(signal: AbortSignal): Promise<"mail" | "over">;
  /** Waits for all that run, so long and no longer. */
  drain(timeoutMs: number): Promise<"drained" | "left">;
  /** Ends all that run. What has come to its end before is in the log then. */
  close(): Promise<void>;
}

export type StartedAgent =
  | { readonly kind: "started"; readonly id: string; readonly done: Promise<AgentEnd> }
  | { readonly kind: "refused"; readonly why: string };

export type AgentFollowed = QueryEvent | { readonly kind: "phrase"; readonly phrase: string };
