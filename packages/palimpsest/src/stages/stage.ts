import type { Ledger } from "../cache/ledger.ts";
import type { Draft } from "../log/entry.ts";
import type { ModelPrices } from "../log/prices.ts";
import type { RequestedEdits } from "../log/provider-edits.ts";
import type { NewEvent } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { ResultFiles } from "../stores/results.ts";
import type { Budget } from "../tokens/budget.ts";
import type { View } from "../view/view.ts";
import type { ByteIndex } from "./media/byte-index.ts";
import type { ResultIndex } from "./microcompact/result-index.ts";

/** What a stage goes by. Nothing of it is changed: what a stage decides, it returns. */
export interface StageContext {
  readonly session: string;
  readonly view: View;
  readonly ledger: Ledger;
  readonly results: ResultIndex;
  readonly settings: Settings;
  readonly files: ResultFiles;
  readonly budget: Budget;
  readonly bytes: ByteIndex;
  /** A request with more bytes is refused; undefined where nobody has said. */
  readonly maxRequestBytes: number | undefined;
  /** Whether thinking is bound to what stands before it. */
  readonly thinking: "bound" | "free";
  readonly prices: ModelPrices | undefined;
  /** What the request will ask of the provider beside an answer. */
  readonly asked: RequestedEdits;
  readonly nowMs: number;
}

export interface StageDecision {
  /** To be appended. */
  readonly drafts: readonly Draft[];
  /** To be told once they are. */
  readonly newEvents: readonly NewEvent[];
}

export const NOTHING_TO_DO: StageDecision = { drafts: [], newEvents: [] };

/** One step before a request: looks at the view and returns entries to append, or none. */
export type Stage = (context: StageContext) => Promise<StageDecision>;
