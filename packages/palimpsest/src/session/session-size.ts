import type { WindowSource } from "../providers/models.ts";
import type { Budget, BudgetLevel } from "../size/budget.ts";
import type { CompactionPoint } from "./compact/compaction-point-type.ts";

/** The size of the view, and the thresholds. */
export interface SessionSize extends Budget {
  /** The last reported size plus a padded estimate of what came after. */
  readonly tokens: number;
  /** How much room is left before the next compaction, or before the limit if automatic compaction is off. */
  readonly percentLeft: number;
  readonly level: BudgetLevel;
  /** The source of the window size. `guessed`: unknown; set it in the provider's `models` or in `window.tokens`. */
  readonly known: WindowSource;
  /** The size at which the next compaction happens. */
  readonly compaction: CompactionPoint;
}
