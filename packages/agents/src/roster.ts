import { type Inbox, messageOf, type QueryEvent, type Session } from "palimpsest";
import type { AgentWay } from "palimpsest/inspect";

import { type AgentMessage, toAttachment } from "./agent-message.ts";
import type { AgentEnd } from "./agent-result.ts";
import { createSlots } from "./slots.ts";

/** An agent that runs in this process, or waits for its turn. */
export interface LiveAgent {
  readonly id: string;
  readonly name?: string;
  readonly way: AgentWay;
  readonly startedAtMs: number;
  /** Aborts it; its result names the reason. */
  readonly stop: (reason: string) => void;
  /** Messages for it, which it reads before its next request. */
  readonly messages: AgentMessage[];
  readonly listeners: Set<(event: QueryEvent) => void>;
  /** Never rejects. */
  readonly done: Promise<AgentEnd>;
  /** Set once its session is open. */
  session?: Session;
  /** Its last text. */
  text: string;
  rounds: number;
  /** Its current activity in a few words. */
  phrase?: string;
}

export interface Launch {
  readonly id: string;
  readonly name?: string;
  readonly way: AgentWay;
  readonly signal: AbortSignal;
  readonly open: () => Promise<Session>;
  readonly run: (child: Session, context: RunContext) => Promise<AgentEnd>;
  /** Messages that wait for it from the start. */
  readonly messages?: readonly AgentMessage[];
}

export interface RunContext {
  readonly signal: AbortSignal;
  readonly inbox: Inbox;
  readonly onEvent: (event: QueryEvent) => void;
}

export interface Roster {
  readonly live: ReadonlyMap<string, LiveAgent>;
  launch(launch: Launch): LiveAgent;
}

export interface RosterOptions {
  readonly now: () => number;
  /** The maximum number of agents that run at a time. */
  readonly maxRunning: () => number;
}

/** The agents of this process: each runs to its end by itself; an exception in one becomes its result. */
export function createRoster({ now, maxRunning }: RosterOptions): Roster {
  const live = new Map<string, LiveAgent>();
  const slots = createSlots(maxRunning);

  async function applyChanges(one: LiveAgent, launch: Launch, signal: AbortSignal) {
    const release = await slots.take(signal);
    if (release === undefined) return stoppedBy(signal);
    try {
      const child = await launch.open();
      one.session = child;
      try {
        return await launch.run(child, { signal, inbox: inboxOf(one.messages), onEvent: (event) => hear(one, event) });
      } finally {
        await child.close().catch(() => undefined);
      }
    } catch (error) {
      return signal.aborted ? stoppedBy(signal) : ({ outcome: "failed", text: messageOf(error) } as const);
    } finally {
      release();
    }
  }

  return {
    live,
    launch(launch) {
      const controller = new AbortController();
      const signal = AbortSignal.any([launch.signal, controller.signal]);
      const finished = Promise.withResolvers<AgentEnd>();
      const one: LiveAgent = {
        id: launch.id,
        way: launch.way,
        startedAtMs: now(),
        listeners: new Set(),
        text: "",
        rounds: 0,
        name: launch.name,
        messages: [...(launch.messages ?? [])],
        stop: (reason) => controller.abort(reason),
        done: finished.promise,
      };
      live.set(one.id, one);
      void applyChanges(one, launch, signal).then((end) => {
        live.delete(one.id);
        finished.resolve(end);
      });
      return one;
    },
  };
}

/** A message leaves the queue when it is in the log. */
function inboxOf(messages: AgentMessage[]): Inbox {
  return {
    async deliver(session) {
      const count = messages.length;
      if (count > 0) await session.append(messages.slice(0, count).map(toAttachment), { answer: "wanted" });
      messages.splice(0, count);
      return count;
    },
  };
}

function hear(one: LiveAgent, event: QueryEvent): void {
  if (event.kind === "response") {
    one.rounds++;
    one.text = event.response.text || one.text;
  }
  for (const listener of one.listeners) {
    try {
      listener(event);
    } catch {
      // Errors of a listener are ignored: the agent continues.
    }
  }
}

function stoppedBy({ reason }: AbortSignal): AgentEnd {
  return { outcome: "stopped", text: typeof reason === "string" ? reason : "It was stopped." };
}
