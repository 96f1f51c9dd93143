import type { InboxItem, SessionInbox } from "@palimpsest/coordination";
import type { Inbox, Session } from "palimpsest";
import type { AgentEnded } from "palimpsest/inspect";
import { reportOf } from "./report.ts";
import { type AgentReport, addInput, type ReplyTo, type SessionInput } from "./session-input.ts";
import { agentPrefix } from "./start-agent.ts";
import { totalUsage } from "./total-usage.ts";

/** Part of the prompt: a changed word changes what sessions send from then on. */
const STOPPED_WITH_TURN = "The user has stopped the turn that started this agent, and the agent with it.";
const STOPPED = "The agent was stopped before it was done.";
/** The queue of `session.turn.takeIn` that the items of an inbox belong to. */
export const QUEUE = "inbox";
/** The mark behind which nothing was reported as used yet. */
const CHARGED = "charged";

/**
 * Takes what was said to a session into its log, in order and once, however often it is delivered and whoever dies meanwhile: an item
 * is in the log before it is acknowledged, and a stop is acknowledged before anything behind it is taken in.
 */
export interface Inputs {
  /** Aborted when somebody wants the turn to end. Another one after each stop. */
  readonly stop: AbortSignal;
  /** For the steps of a turn: what arrives while it runs. */
  readonly during: Inbox;
  /** Applies stops that wait in the inbox, with everything that was said before them. */
  applyStops(): Promise<void>;
  /** Takes in all that waits; returns how many items were new. */
  takeAll(): Promise<number>;
  /** Looks whether somebody wants the turn to end, while it runs. */
  lookForStop(): Promise<void>;
  /** The turn is over: reports it to those who wait for it. */
  report(end: TurnReport): Promise<void>;
}

export interface TurnReport {
  readonly outcome: AgentEnded["outcome"];
  readonly text: string;
}

export interface InputsOptions {
  /** @default nobody */
  readonly onTaken?: (item: InboxItem) => void;
}

export function createInputs(session: Session, inbox: SessionInbox, { onTaken }: InputsOptions = {}): Inputs {
  const { id } = session;
  const waitingFor = new Map<number, ReplyTo>();
  let stopping = new AbortController();
  let stoppedUpTo = 0;

  async function applyStop(number: number, input: Extract<SessionInput, { kind: "stop" }>): Promise<void> {
    const { kind: _, ...said } = input;
    await session.turn.stop(said);
    // Before the stop is acknowledged: whoever dies here finds it again. Nothing else would tell that these tasks were not done.
    await report({ outcome: "stopped", text: STOPPED });
    stoppedUpTo = number;
    // What comes after it is not stopped by it.
    stopping = new AbortController();
    for (const { id: agent, session: child, status } of session.background.agents()) {
      if (status !== "running" || !child.startsWith(agentPrefix(id))) continue;
      await addInput(inbox, child, `stop ${id} ${number}`, input);
      // Its own report is not waited for: that would begin another turn.
      const told = reportOf({ kind: "report", agent, outcome: "stopped", text: STOPPED_WITH_TURN });
      await session.background.enterAgent({ id: agent, step: "ended", outcome: "stopped", told: "by-call" }, told);
    }
    await inbox.acknowledge(id, [number]);
  }

  async function report({ outcome, text }: TurnReport): Promise<void> {
    if (waitingFor.size === 0) return;
    const { newestEntry } = session.history;
    let used = await totalUsage(session, session.background.readTo(CHARGED));
    for (const [number, { session: to, agent }] of waitingFor) {
      const cost = used.length === 0 ? {} : { used };
      await addInput(inbox, to, `report ${agent} ${number}`, { kind: "report", agent, outcome, text, ...cost });
      // Whoever dies before this reports the same once more, under the same key.
      if (used.length > 0) await session.background.setReadTo(CHARGED, newestEntry);
      used = [];
      await inbox.acknowledge(id, [number]);
      waitingFor.delete(number);
    }
  }

  /** @returns whether the report is new */
  async function takeReport(told: AgentReport, { number, traceparent }: InboxItem): Promise<boolean> {
    const { agent, outcome, used = [] } = told;
    // Once, also for an agent whose end is known: it was stopped, or set aside.
    if (used.length > 0)
      await session.turn.takeIn({ queue: QUEUE, number, content: [], used, ...tracedBy(traceparent) });
    const ended = { id: agent, step: "ended", outcome, told: "next-entry" } as const;
    return (await session.background.enterAgent(ended, reportOf(told))) === "entered";
  }

  /** @returns how many were new */
  async function take(items: readonly InboxItem[]): Promise<number> {
    let taken = 0;
    const done: number[] = [];
    for (const item of items) {
      const { number, payload, traceparent } = item;
      const input = payload as SessionInput | null;
      const before = taken;
      switch (input?.kind) {
        case "stop":
          await applyStop(number, input);
          break;
        case "content": {
          const { content, replyTo } = input;
          const outcome = await session.turn.takeIn({ queue: QUEUE, number, content, ...tracedBy(traceparent) });
          if (outcome === "taken") taken++;
          if (replyTo === undefined) done.push(number);
          else waitingFor.set(number, replyTo);
          break;
        }
        case "report":
          if (await takeReport(input, item)) taken++;
          done.push(number);
          break;
        default:
          // The key of an item that is null is lost: it says nothing.
          if (input !== null) throw new Error(unknownKind(id, number, input));
          done.push(number);
      }
      if (taken > before) onTaken?.(item);
    }
    await inbox.acknowledge(id, done);
    return taken;
  }

  /** One that was applied may have been read before it was acknowledged: it must not stop what came after it. */
  const isStop = ({ number, payload }: InboxItem): boolean =>
    (payload as SessionInput | null)?.kind === "stop" && number > stoppedUpTo;

  function beginStop({ payload }: InboxItem): void {
    const { reason } = payload as { readonly reason?: string };
    stopping.abort(reason);
  }

  return {
    get stop() {
      return stopping.signal;
    },
    during: {
      async deliver() {
        const items = await inbox.read(id);
        const at = items.findIndex(isStop);
        if (at >= 0) beginStop(items[at]!);
        return take(at >= 0 ? items.slice(0, at) : items);
      },
    },
    async applyStops() {
      for (;;) {
        const items = await inbox.read(id);
        const at = items.findIndex(isStop);
        if (at < 0) return;
        const { kind: _, ...said } = items[at]!.payload as Extract<SessionInput, { kind: "stop" }>;
        // First what runs: content is not taken in between its open calls.
        await session.turn.stop(said);
        await take(items.slice(0, at + 1));
      }
    },
    takeAll: async () => take(await inbox.read(id)),
    async lookForStop() {
      const found = (await inbox.read(id)).find(isStop);
      if (found !== undefined && !stopping.signal.aborted) beginStop(found);
    },
    report,
  };
}

function tracedBy(traceparent: string | undefined): { readonly traceparent?: string } {
  return traceparent === undefined ? {} : { traceparent };
}

function unknownKind(session: string, number: number, input: unknown): string {
  const { kind } = input as { readonly kind?: unknown };
  return `Item ${number} in the inbox of session ${session} is of a kind that this release does not know: ${JSON.stringify(kind)}. Update the worker, or send items with say() and stop().`;
}
