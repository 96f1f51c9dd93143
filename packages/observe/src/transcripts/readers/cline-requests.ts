import { asCount, asList, asObject, asString } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readRecords } from "./read-records.ts";
import type { RecordedUsage } from "./recorded.ts";

/** A request of cline's editor extension, as recorded in `ui_messages.json`. */
export interface ClineRequest {
  readonly atMs: number;
  /** The newest message of the conversation at the time of the request, counted from zero. */
  readonly behind: number;
  /** Absent if the request was never answered. */
  readonly usage?: Omit<RecordedUsage, "kind" | "responseId" | "branch" | "atMs" | "model">;
  /** Messages that the request left out, both ends included, counted from zero. */
  readonly deleted?: { readonly from: number; readonly to: number };
}

/**
 * Reads the usage of requests from the extension's display messages. Broken lines are skipped: nothing else is lost
 * with them.
 */
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
      // Default if it is not recorded: a request and its answer alternate.
      behind: asCount(conversationHistoryIndex) ?? 2 * requests.length,
      usage,
      ...(from === undefined || to === undefined ? {} : { deleted: { from, to } }),
    });
  }
  return requests;
}

/** `tokensIn` excludes cache reads and writes. */
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
    costUsd: asCount(info["cost"]) || undefined,
  };
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text ?? ""));
  } catch {
    return undefined;
  }
}
