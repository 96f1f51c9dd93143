import type { UsagePayload } from "../log/payload.ts";
import type { ReportedUsage } from "../providers/provider.ts";

/** An answer that was stopped before it was whole, as far as it had arrived. `createPartialAnswer` collects one. */
export interface InterruptedAnswer {
  /** What the model had said. It stays in view. */
  readonly text: string;
  /** Names of the tools that it had begun to call. They were not run, and the calls are left out. @default none */
  readonly calls?: readonly string[];
  /** Characters of thinking and of tool inputs that had arrived: paid for, and never sent back. @default 0 */
  readonly unshownCharacters?: number;
  readonly responseId?: string;
  readonly model?: string;
  /** What the provider had reported. @default the price is estimated */
  readonly usage?: ReportedUsage;
}

export interface InterruptionOptions {
  /** `left-out`: the request is sent again; the answer is void, and only its price is entered. @default "kept" */
  readonly view?: "kept" | "left-out";
}

/** What an interrupted answer has cost. */
export interface RecordedInterruption {
  /** Absent if nothing had arrived: then nobody knows whether it was billed. */
  readonly usage?: Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens">;
  /** What of it is an estimate; absent if the provider reported all of it. */
  readonly estimated?: UsagePayload["estimated"];
  /** Absent where nothing had arrived, or the prices are not known. */
  readonly priceUsd?: number;
}
