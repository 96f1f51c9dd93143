import type { QueryEvent, SessionEvent } from "palimpsest";
import type { OwnedListener } from "../agent/event-owner.ts";
import type { TurnReport } from "./turn-report.ts";

export interface EventRelay {
  /** For the opening of the session: hears everything, from then on until it is closed. */
  readonly onEvent: OwnedListener;
  /** A turn begins: its generator says where the session's events belong among its own. */
  beginTurn(): void;
  /** What the turn's generator has brought. */
  turnEvent(event: QueryEvent): Promise<void>;
  /** The turn is over: what it did not bring is reported now. */
  endTurn(): Promise<void>;
}

/** Reports every event of a session once: those of a turn at their place in the turn, all others as they happen. */
export function relayEvents(report: Pick<TurnReport, "event">): EventRelay {
  let held: Set<SessionEvent> | undefined;
  return {
    onEvent(event, owner) {
      if (held !== undefined && owner === undefined) held.add(event);
      else void report.event({ kind: "session-event", event, ...(owner === undefined ? {} : { owner }) });
    },
    beginTurn() {
      held = new Set();
    },
    async turnEvent(event) {
      if (event.kind === "session-event") held?.delete(event.event);
      await report.event(event);
    },
    async endTurn() {
      const left = held ?? [];
      held = undefined;
      for (const event of left) await report.event({ kind: "session-event", event });
    },
  };
}
