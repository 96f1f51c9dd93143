import type { PeerMessage } from "@palimpsest/coordination";
import type { Inbox, QueryEvent, Tool } from "palimpsest";
import type { AgentEnd } from "./agent-result.ts";
import type { MessageSent } from "./message-tool.ts";
import type { KnownAgent, WantedAgent } from "./start-agent.ts";

/** An agent by the log, and its current state if it runs in this process. */
export interface ListedAgent extends KnownAgent {
  readonly live?: LiveState;
  /** What an idle teammate had done after its last turn in this process. */
  readonly used?: Pick<LiveState, "rounds" | "tokens" | "priceUsd">;
}

/** What a running agent does now, and what it has spent. */
export interface LiveState {
  /** Its current activity in a few words; only while somebody follows it. */
  readonly phrase?: string;
  readonly rounds: number;
  /** Tokens of its own session, cache reads included. */
  readonly tokens: number;
  readonly priceUsd: number;
  readonly elapsedMs: number;
}

/** The agents of one session: its tools to start and message them, and its inbox. */
export interface Agents {
  /** `Agent`, unless agents are off, and `SendMessage`: place them after the session's own tools. */
  readonly tools: readonly Tool[];
  /** For the session's queries: results of finished agents, and messages to the session. */
  readonly inbox: Inbox;
  /** Starts an agent; `done` resolves when it has ended and never rejects. Its result comes through the inbox. */
  start(wanted: WantedAgent): Promise<StartedAgent>;
  /** Stops an agent, and resolves when it has ended. */
  stop(id: string): Promise<"stopped" | "not-running">;
  /** Sends a message in the session's name. */
  send(to: string, body: string, summary?: string): Promise<MessageSent>;
  /** Takes a message that another session sent to this session's socket; resolves when it is in the log. */
  take(message: PeerMessage): Promise<void>;
  list(): readonly ListedAgent[];
  /**
   * Sends the events of a running agent to the listener, and asks the agent now and then what it is doing. Returns a function
   * that stops this.
   */
  follow(id: string, listener: (event: AgentFollowed) => void): () => void;
  /** Resolves when the inbox has something, or when no agent runs any more. */
  idle(): Promise<"waiting" | "nothing-runs">;
  /**
   * Waits for mail of other processes, and notifies the session's listeners; the next turn takes it in. `over`: the signal
   * came, or there is no mailbox.
   */
  waitForMail(signal: AbortSignal): Promise<"mail" | "over">;
  /** Waits for all running agents, up to this time. */
  drain(timeoutMs: number): Promise<"drained" | "left">;
  /** Stops all running agents. Results of finished ones are then in the log. */
  close(): Promise<void>;
}

/** An agent that was started, or the reason why it was not. */
export type StartedAgent =
  | { readonly kind: "started"; readonly id: string; readonly done: Promise<AgentEnd> }
  | { readonly kind: "refused"; readonly why: string };

/** An event of an agent that runs: of its turn, or a new phrase about what it does. */
export type AgentFollowed = QueryEvent | { readonly kind: "phrase"; readonly phrase: string };
