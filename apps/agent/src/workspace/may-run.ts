import { type Owner, type Place, processState } from "palimpsest/sqlite";

/** A process in another container, or before the machine was started again, of which nothing can be known is believed for this long. */
const MAX_UNKNOWN_MS = 86_400_000;

/** Whether a process that noted itself may still be running. */
export function mayRun(owner: Owner, place: Place): boolean {
  const state = processState(owner, place);
  return state === "running" || (state === "unknown" && place.clock.now() - owner.renewedAtMs < MAX_UNKNOWN_MS);
}
