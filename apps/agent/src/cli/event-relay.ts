import type { QueryEvent, SessionEvent } from "palimpsest";
import type { OwnedListener } from "../agent/event-owner.ts";
import type { TurnReport } from "../commands/stream/turn-report.ts";

export interface EventRelay {
  /** The listener to open the session with. It receives every event until the session is closed. */
  readonly onEvent: OwnedListener;
  /** A turn begins. From now on, session events wait until the turn's generator yields them, so that the order is right. */
  beginTurn(): void;
  /** Reports an event that the turn's generator yielded. */
  turnEvent(event: Exclude<QueryEvent, { readonly kind: "turn-ended" }>): Promise<void>;
  /** The turn is over. Reports the session events that its generator did not yield. */
  endTurn(): Promise<void>;
}

/** Reports every event of a session exactly once: events of a turn in the turn's order, all others as they happen. */
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
