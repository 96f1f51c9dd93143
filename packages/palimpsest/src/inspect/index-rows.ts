import type { CacheBreak } from "../cost/ledger.ts";
import type { UsagePayload } from "../log/payload.ts";

/** What of a log its index holds: a row for each request, each response, and each event that a timeline shows. */
export type IndexRow = RequestRow | ResponseRow | EventRow;

/** The sources that fill a window, in the order in which a chart stacks them. */
export const WINDOW_SOURCES = [
  "system",
  "tools",
  "human",
  "summary",
  "assistant",
  "tool-call",
  "tool-result",
  "command",
  "attachment",
  "other",
] as const;

/** Where content of the context window comes from. */
export type WindowSource = (typeof WINDOW_SOURCES)[number];

export interface RequestRow {
  readonly kind: "request";
  readonly entry: number;
  readonly atMs: number;
  readonly source: string;
  readonly model: string;
  /** Estimated tokens by source: one number for each of `WINDOW_SOURCES`. */
  readonly window: readonly number[];
}

export interface ResponseRow
  extends Pick<UsagePayload, "model" | "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens"> {
  readonly kind: "response";
  readonly entry: number;
  readonly atMs: number;
  readonly request?: number;
  readonly source: string;
  readonly priceUsd?: number;
  readonly gapUsd?: number;
  readonly break?: CacheBreak;
}

/** Something that happened between requests, for flags on a timeline. */
export interface EventRow {
  readonly kind: "event";
  readonly entry: number;
  readonly atMs: number;
  readonly event: IndexedEvent;
  /** What was said, or why: its beginning, in one line. Text of others. */
  readonly text: string;
}

/** The kinds of events that an index has. */
export type IndexedEvent =
  | "said"
  | "boundary"
  | "replace"
  | "restore"
  | "rewind"
  | "fork"
  | "overflow"
  | "attempt"
  | "agent"
  /** A message of another agent or session. */
  | "mail"
  | "configuration"
  | "notes"
  | "pin"
  | "erased";
