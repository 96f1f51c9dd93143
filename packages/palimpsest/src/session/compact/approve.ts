import type { CompactionForecast } from "../../session-event/compaction-events.ts";

/** Asks whoever is there whether a compaction may be made. @see `compaction.auto` */
export type ApproveCompaction = (
  due: CompactionForecast,
  options: { readonly signal?: AbortSignal },
) => Promise<"compact" | "not-now">;
