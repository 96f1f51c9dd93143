import { asCount, asList, asObject, asString, present } from "palimpsest/core";
import { asTimeMs } from "./as-time-ms.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readRecords } from "./read-records.ts";
import type { RecordedUsage } from "./recorded.ts";

/** A request of cline's editor extension, as `ui_messages.json` tells of it. */
export interface ClineRequest {
  readonly atMs: number;
  /** The message of the conversation that was the newest when it was made, counted from zero. */
  readonly behind: number;
  /** Absent if it was never answered. */
  readonly usage?: Omit<RecordedUsage, "kind" | "responseId" | "branch" | "atMs" | "model">;
  /** Messages that were left out of it, both ends included, counted from zero. */
  readonly deleted?: { readonly from: number; readonly to: number };
}

/** Reads what the extension shows: of it, only what its requests used. Broken lines are passed over: they cost nothing else. */
export async function readClineRequests(lines: TranscriptLines): Promise<ClineRequest[]> {
  const requests: ClineRequest[] = [];
  for await (const record of readRecords(lines)) {
    if (record.kind === "damage" || record.fields["say"] !== "api_req_started") continue;
    const { ts, text, conversationHistoryIndex, conversationHistoryDeletedRange } = record.fields as {
      readonly [name: string]: unknown;
    };
    const info = parse(asString(text)) ?? {};
    const [from, to] = (asList(conversationHistoryDeletedRange) ?? []).map(asCount);
    const usage = toUsage(info);
    requests.push({
      atMs: asTimeMs(ts) ?? requests.at(-1)?.atMs ?? 0,
      // Where it is not recorded: a request and its answer follow each other.
      behind: asCount(conversationHistoryIndex) ?? 2 * requests.length,
      ...present({ usage }),
      ...(from === undefined || to === undefined ? {} : { deleted: { from, to } }),
    });
  }
  return requests;
}

/** `tokensIn` is what was neither read from the cache nor written to it. */
function toUsage(info: Readonly<Record<string, unknown>>): ClineRequest["usage"] {
  const [freshTokens, outputTokens] = [asCount(info["tokensIn"]), asCount(info["tokensOut"])];
  const [cacheReadTokens = 0, cacheWriteTokens = 0] = [asCount(info["cacheReads"]), asCount(info["cacheWrites"])];
  if (freshTokens === undefined || freshTokens + cacheReadTokens + cacheWriteTokens === 0) return undefined;
  const isWhole = info["cancelReason"] === undefined;
  return {
    freshTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: outputTokens ?? 0,
    outputCount: isWhole ? "final" : "provisional",
    ...present({ costUsd: asCount(info["cost"]) || undefined }),
  };
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text ?? ""));
  } catch {
    return undefined;
  }
}
