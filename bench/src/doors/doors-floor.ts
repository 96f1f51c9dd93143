import type { Figures } from "../bench.ts";
import type { DoorFigures } from "./drive-door.ts";

export const DOORS_RULE =
  "through every door no request is refused, 99.9% of the prefix is kept but for decisions, over three compactions, a restart and an edit, in 10 lines";

/** Doors that carry model requests, at the least. */
const DOORS = 6;

export function holdsAtDoors({ doors }: Figures): boolean {
  const all = Object.values(doors as Record<string, DoorFigures>);
  return (
    all.length >= DOORS &&
    all.every(
      ({ refused, prefix_kept_pct, compactions, restarts, edits, lines_to_adopt }) =>
        refused === 0 &&
        prefix_kept_pct >= 99.9 &&
        compactions >= 3 &&
        restarts > 0 &&
        edits > 0 &&
        lines_to_adopt <= 10,
    )
  );
}
