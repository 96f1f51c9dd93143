import type { UsagePayload } from "../log/payload.ts";
import { leftInCache } from "./find-break.ts";
import type { Ledger } from "./ledger.ts";

export interface EstimatedRequest {
  /** Its entry; absent if it was not made from the view. */
  readonly request: number | undefined;
  readonly source: string;
  readonly nowMs: number;
}

/** How the input of a request was billed, by estimate: what the request before left in the cache is taken to be read from it. */
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
  // A service that reported writes before writes what is new now, too.
  const writes = (previous?.cacheWriteTokens ?? 0) > 0;
  return { cacheReadTokens, cacheWriteTokens: writes ? restTokens : 0, freshTokens: writes ? 0 : restTokens };
}
