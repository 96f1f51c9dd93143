import { ECONOMIC_BREAKER, mayTry, retryAtMs } from "../../stages/compact/breaker.ts";
import type { CarriedState } from "../../state/carried.ts";
import type { Attendance, Hold } from "./attendance.ts";

/** The mark that says up to where the user has been told that a compaction is coming. */
export const ANNOUNCED = "compaction-announced";

interface HoldQuestion {
  readonly carriedState: CarriedState;
  readonly attendance: Attendance;
  readonly nowMs: number;
}

/** What holds the economic policy now. The window's own compactions are never held by this. */
export function holdOf({ carriedState, attendance, nowMs }: HoldQuestion): Hold | undefined {
  const restored = carriedState.takenBack.at(-1);
  if (restored !== undefined) return { by: "restored", since: restored.at };
  if (isHeldSinceOpening(carriedState, attendance)) return { by: "opened" };
  const { economicBreaker, userMessages } = carriedState;
  if (mayTry(economicBreaker, { nowMs, userMessages, viewChangedAt: 0 }, ECONOMIC_BREAKER)) return undefined;
  return { by: "failed", retryAtMs: retryAtMs(economicBreaker, ECONOMIC_BREAKER) ?? nowMs };
}

/** A held compaction is named once for each reason that holds it. */
export function isAnnounced(hold: Hold, carriedState: CarriedState, openedAt: number): boolean {
  return announcedAt(carriedState) > (hold.by === "restored" ? hold.since : openedAt);
}

export function announcedAt({ marks }: CarriedState): number {
  return marks[ANNOUNCED] ?? 0;
}

/** Whoever is there has to have been told before they speak. Where nobody is, it is enough that it was told once. */
function isHeldSinceOpening(carriedState: CarriedState, { kind, openedAt }: Attendance): boolean {
  if (openedAt === 0) return false;
  const announced = announcedAt(carriedState);
  if (kind === "unattended") return announced === 0;
  return announced <= openedAt || carriedState.spokenAt <= announced;
}
