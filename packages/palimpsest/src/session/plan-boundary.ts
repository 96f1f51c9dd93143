import { ledgerAtBoundary } from "../cost/fold.ts";
import type { Ledger } from "../cost/ledger.ts";
import type { BoundaryPayload, ReplacePayload } from "../log/payload.ts";
import type { CarriedState } from "../state/carried.ts";
import { foldEntry } from "../view/fold.ts";
import { outline } from "../view/outline.ts";
import type { View } from "../view/view.ts";

export interface BoundaryContext {
  readonly view: View;
  readonly ledger: Ledger;
  /** As it is to be carried on: with what was gathered from the log. */
  readonly carriedState: CarriedState;
  /** The number that the boundary will have. */
  readonly sequence: number;
}

/** A `replace` as a boundary: with the outline of the view that it leaves, and the state that must outlive it. */
export function planBoundary(
  replace: ReplacePayload,
  { view, ledger, carriedState, sequence }: BoundaryContext,
): BoundaryPayload {
  const after: View = { ...view, items: [...view.items] };
  foldEntry(after, { kind: "replace", sequence, payload: replace });
  return {
    ...replace,
    outline: outline(after),
    state: {
      configuration: view.configuration?.entry ?? 0,
      calibration: view.calibration,
      ledger: ledgerAtBoundary(ledger, sequence, replace),
      standing: carriedState,
    },
  };
}
