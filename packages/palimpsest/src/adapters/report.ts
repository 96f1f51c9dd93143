// Reports the size of a session and its compactions in the data of an answer.

import type { SummaryRecord } from "../log/payload-compaction.ts";
import { asList, asObject, asString } from "../schema/json-fields.ts";
import type { SessionEvent } from "../session-event.ts";

/** A compaction, as data for a user interface. */
export interface CompactionData {
  readonly session: string;
  /** The reason: `window` (the context window was full), `economy` (the compaction saves money), and others. */
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** How the summary came about. Read its text with `session.history.explain()`. */
  readonly summary: SummaryRecord;
}

/** Returns the compaction that an event reports; undefined for any other event. */
export function toCompactionData(event: SessionEvent): CompactionData | undefined {
  if (event.kind !== "compaction-ended" || event.outcome.kind !== "compacted") return undefined;
  const { tokensBefore, tokensAfter, summary } = event.outcome;
  return { session: event.session, reason: event.reason, tokensBefore, tokensAfter, summary };
}

/** Reads a compaction back from data that a framework kept; undefined for any other data. */
export function asCompactionData(value: unknown): CompactionData | undefined {
  const way = asString(asObject(asObject(value)?.["summary"])?.["way"]);
  return way === undefined ? undefined : (value as CompactionData);
}

/** The size of a session after an answer. */
export interface SessionReport {
  readonly session: string;
  readonly tokens: number;
  readonly percentLeft: number;
}

/** The key of the report in the data of an answer. */
const OWN = "palimpsest";

/** Adds the session's report and its compactions to the data of an answer. */
export function withReport(
  data: object | undefined,
  report: SessionReport,
  compactions: readonly CompactionData[],
): Record<string, unknown> {
  return { ...data, [OWN]: { ...report, ...(compactions.length === 0 ? {} : { compactions }) } };
}

/** Returns the compactions in the data of an answer. */
export function compactionsIn(data: unknown): readonly CompactionData[] {
  const own = asObject(asObject(data)?.[OWN]);
  return (asList(own?.["compactions"]) ?? []).flatMap((value) => asCompactionData(value) ?? []);
}
