import type { Figures } from "../bench.ts";
import type { ContestantFigures } from "./run-gauntlet.ts";

export const GAUNTLET_RULE =
  "ours on the gauntlet: no request refused after a fault, no fact lost, within 5% of a perfect cache, on after each trial with all that was said";

export function holdsOnGauntlet({ contestants }: Figures): boolean {
  const all = Object.values(contestants as Record<string, ContestantFigures>);
  return (
    all.length > 0 &&
    all.every(
      ({ V, F, C, R }) =>
        V.kinds > 0 &&
        V.clean === V.kinds &&
        F.turns_not_done === 0 &&
        F.summaries > 0 &&
        Object.values(F.after_windows).every(({ lost_pct }) => lost_pct === 0) &&
        C.ratio_to_perfect_cache <= 1.05 &&
        Object.values(R).every(({ went_on, kept_pct = 100 }) => went_on && kept_pct === 100),
    )
  );
}
