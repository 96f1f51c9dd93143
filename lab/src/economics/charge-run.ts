import type { ReplayedRequest, ReplayRun } from "@palimpsest/observe/replay";
import type { SessionFacts } from "./facts.ts";

/** How often a model reads something again after a compaction, beyond the needs that a replay finds. */
const REREADS_PER_COMPACTION = 2;
const REREAD_OUTPUT_TOKENS = 80;

export interface Charges {
  /** Output of recorded responses, thinking included, relative to the same responses as the replay counts them. */
  readonly outputRatio: number;
  /** 55 recorded compactions were followed by 2.0 more re-reads than other places in the same sessions (0.8 to 3.3). @default 2 */
  readonly rereadsPerCompaction?: number;
}

/**
 * A run with what a replay cannot see. Output is that of the recording. After each compaction the model reads files again: each
 * is one more request, and stays in the conversation until the next compaction.
 */
export function chargeRun(
  { requests, compactedAt }: ReplayRun,
  { outputTokens, rereadTokens }: SessionFacts,
  { outputRatio, rereadsPerCompaction = REREADS_PER_COMPACTION }: Charges,
): readonly ReplayedRequest[] {
  const compactions = Map.groupBy(compactedAt, (responsesBefore) => responsesBefore);
  const charged: ReplayedRequest[] = [];
  let [responses, addedTokens] = [0, 0];
  for (const request of requests) {
    if (request.source !== "conversation") {
      charged.push(request);
      continue;
    }
    const compacted = compactions.get(responses)?.length ?? 0;
    if (compacted > 0) addedTokens = 0;
    const output = outputTokens[responses] ?? outputRatio * request.outputTokens;
    charged.push({ ...withMore(request, addedTokens), outputTokens: output });
    for (let reread = 0; reread < compacted * rereadsPerCompaction; reread++) {
      charged.push(rereadAfter(request, addedTokens, rereadTokens));
      addedTokens += rereadTokens;
    }
    responses++;
  }
  return charged;
}

/** Billed as the rest of the conversation is: read from the cache, or written where the cache was cold. */
function withMore(request: ReplayedRequest, tokens: number): ReplayedRequest {
  const { cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens = 0 } = request;
  if (cacheReadTokens >= cacheWriteTokens) return { ...request, cacheReadTokens: cacheReadTokens + tokens };
  const isLong = isLongOnly(request);
  return {
    ...request,
    cacheWriteTokens: cacheWriteTokens + tokens,
    cacheWrite1hTokens: cacheWrite1hTokens + (isLong ? tokens : 0),
  };
}

function rereadAfter(request: ReplayedRequest, addedTokens: number, tokens: number): ReplayedRequest {
  const { freshTokens, cacheReadTokens, cacheWriteTokens } = request;
  return {
    source: "refetch",
    freshTokens: 0,
    cacheReadTokens: freshTokens + cacheReadTokens + cacheWriteTokens + addedTokens,
    cacheWriteTokens: tokens,
    cacheWrite1hTokens: isLongOnly(request) ? tokens : 0,
    outputTokens: REREAD_OUTPUT_TOKENS,
  };
}

/** Where only the head is kept for an hour, the conversation has the shorter lifetime. */
function isLongOnly({ cacheWriteTokens, cacheWrite1hTokens = 0 }: ReplayedRequest): boolean {
  return cacheWrite1hTokens > 0 && cacheWrite1hTokens === cacheWriteTokens;
}

/** Recorded output relative to what the replay counts, over responses whose final count is recorded. */
export function outputSums(run: ReplayRun, { outputTokens }: SessionFacts): { recorded: number; replayed: number } {
  const responses = run.requests.filter(({ source }) => source === "conversation");
  let [recorded, replayed] = [0, 0];
  for (const [index, tokens] of outputTokens.entries()) {
    if (tokens === null) continue;
    recorded += tokens;
    replayed += responses[index]?.outputTokens ?? 0;
  }
  return { recorded, replayed };
}
