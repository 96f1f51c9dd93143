import type { QueryEvent, QueryOutcome, SessionEvent } from "palimpsest";
import type { Agent, OwnedListener } from "../../agent/agent.ts";
import { startTurn, type TurnStart } from "../../agent/start-turn.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { TurnReport } from "./turn-report.ts";

interface ReportedTurn extends TurnStart {
  readonly relay: EventRelay;
  /** Called after an event was reported. @default no callback */
  readonly afterEvent?: (event: QueryEvent) => void | Promise<void>;
}

/** Runs a turn and reports its events, except its end, which is returned. */
export async function reportTurn(agent: Agent, { relay, afterEvent, ...start }: ReportedTurn): Promise<QueryOutcome> {
  const turn = await startTurn(agent, start);
  relay.beginTurn();
  try {
    for (;;) {
      const next = await turn.next();
      if (next.done === true) return next.value;
      if (next.value.kind !== "turn-ended") await relay.turnEvent(next.value);
      await afterEvent?.(next.value);
    }
  } finally {
    await relay.endTurn();
  }
}

export interface EventRelay {
  /** The listener to open the session with. It receives every event until the session closes. */
  readonly onEvent: OwnedListener;
  /** Starts a turn. From then on, session events wait until the turn's generator yields them, to keep the order. */
  beginTurn(): void;
  /** Reports an event that the turn's generator yielded. */
  turnEvent(event: Exclude<QueryEvent, { readonly kind: "turn-ended" }>): Promise<void>;
  /** Ends a turn. Reports the session events that its generator did not yield. */
  endTurn(): Promise<void>;
}

/** Reports every event of a session exactly once: events of a turn in the turn's order, all others as they happen. */
export function relayEvents(report: Pick<TurnReport, "event">): EventRelay {
  let waitingEvents: Set<SessionEvent> | undefined;
  return {
    onEvent(event, owner) {
      if (waitingEvents !== undefined && owner === undefined) waitingEvents.add(event);
      else void report.event({ kind: "session-event", event, owner });
    },
    beginTurn() {
      waitingEvents = new Set();
    },
    async turnEvent(event) {
      if (event.kind === "session-event") waitingEvents?.delete(event.event);
      await report.event(event);
    },
    async endTurn() {
      const left = waitingEvents ?? [];
      waitingEvents = undefined;
      for (const event of left) await report.event({ kind: "session-event", event });
    },
  };
}

/**
 * Keeps the prompt in the provider's cache while the agent waits for the user, if the policy allows it
 * and it saves money. Ends with the next request, or when the session closes. The agent loop does the same during long
 * tool calls.
 */
export function keepCacheWarm(session: Pick<AgentSession, "provider">): void {
  // A failed ping only means a cold cache, and a closed session needs no cache.
  void session.provider.keepWarm({ activity: "waiting" }).catch(() => undefined);
}
