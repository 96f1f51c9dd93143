import type { QueryEvent, QueryOutcome } from "palimpsest";
import type { Agent } from "../../agent/agent.ts";
import { startTurn, type TurnStart } from "../../agent/start-turn.ts";
import type { EventRelay } from "../../cli/event-relay.ts";

export interface ReportedTurn extends TurnStart {
  readonly relay: EventRelay;
  /** Called after an event was reported. @default nothing */
  readonly afterEvent?: (event: QueryEvent) => void | Promise<void>;
}

/** Runs a turn and reports its events, all but its end, which is returned. */
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
