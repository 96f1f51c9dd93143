import type { Ledger } from "../cost/ledger.ts";
import type { ModelPrices } from "../log/cause.ts";
import type { Draft } from "../log/entry.ts";
import type { RequestedEdits } from "../log/payload-compaction.ts";
import type { NewEvent } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { Budget } from "../size/budget.ts";
import type { ResultFiles } from "../stores/store.ts";
import type { ByteIndex } from "../view/media.ts";
import type { ResultIndex } from "../view/results.ts";
import type { View } from "../view/view.ts";

/** The input of a stage. A stage changes none of it; it returns its decisions. */
export interface StageContext {
  readonly session: string;
  readonly view: View;
  readonly ledger: Ledger;
  readonly results: ResultIndex;
  readonly settings: Settings;
  readonly files: ResultFiles;
  readonly budget: Budget;
  readonly bytes: ByteIndex;
  /** The byte limit of a request; undefined if it is unknown. */
  readonly maxRequestBytes: number | undefined;
  /** Whether thinking is bound to the content before it. */
  readonly thinking: "bound" | "free";
  readonly prices: ModelPrices | undefined;
  /** The edits that the request will ask of the provider. */
  readonly asked: RequestedEdits;
  readonly nowMs: number;
}

export interface StageDecision {
  /** Entries to append. */
  readonly drafts: readonly Draft[];
  /** Events to emit once the entries are appended. */
  readonly newEvents: readonly NewEvent[];
}

export const NOTHING_TO_DO: StageDecision = { drafts: [], newEvents: [] };

/** One step before a request: looks at the view and returns entries to append, or none. */
export type Stage = (context: StageContext) => Promise<StageDecision>;
