import type { Ledger } from "../cost/ledger.ts";
import type { UsagePayload } from "../log/payload.ts";
import { leftInCache } from "./find-break.ts";

export interface EstimatedRequest {
  /** The entry of the request; absent if the request was not made from the view. */
  readonly request: number | undefined;
  readonly source: string;
  readonly nowMs: number;
}

/** Estimates how the input of a request was billed: everything that the previous request left in the cache counts as read. */
export function estimateUsage(
  { sources }: Ledger,
  { request, source, nowMs }: EstimatedRequest,
  inputTokens: number,
): Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens"> {
  const { previous, open = [] } = sources[source] ?? {};
  const isWarm = previous !== undefined && nowMs < previous.atMs + previous.lifetimeMs;
  const leftTokens = isWarm ? leftInCache(previous, {}) : 0;
  const keptTokens = open.findLast((one) => one.request === request)?.cache?.keptTokens ?? leftTokens;
  const cacheReadTokens = Math.min(leftTokens, keptTokens, inputTokens);
  const restTokens = inputTokens - cacheReadTokens;
  // A service that reported writes before also writes the new part now.
  const writes = (previous?.cacheWriteTokens ?? 0) > 0;
  return { cacheReadTokens, cacheWriteTokens: writes ? restTokens : 0, freshTokens: writes ? 0 : restTokens };
}
