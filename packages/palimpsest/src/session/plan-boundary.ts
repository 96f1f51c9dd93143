import { ledgerAtBoundary } from "../cache/fold-ledger.ts";
import type { Ledger } from "../cache/ledger.ts";
import type { BoundaryPayload, ReplacePayload } from "../log/payload.ts";
import { foldEntry } from "../view/fold-entry.ts";
import { outline } from "../view/outline.ts";
import type { View } from "../view/view.ts";

/** A `replace` as a boundary: with the outline of the view that it leaves, and the state that must outlive it. */
export function planBoundary(view: View, ledger: Ledger, replace: ReplacePayload, sequence: number): BoundaryPayload {
  const after: View = { ...view, items: [...view.items], breaks: [...view.breaks] };
  foldEntry(after, { kind: "replace", sequence, payload: replace });
  return {
    ...replace,
    outline: outline(after),
    state: {
      configuration: view.configuration?.entry ?? 0,
      calibration: view.calibration,
      ledger: ledgerAtBoundary(ledger, sequence, replace),
    },
  };
}
