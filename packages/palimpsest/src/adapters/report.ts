import { asList, asObject, asString } from "../schema/json-fields.ts";
import type { SessionEvent } from "../session-event.ts";

/** A compaction, for a user interface. */
export interface CompactionData {
  readonly session: string;
  /** Why: `window` (it was full), `economy` (it saves money), and others. */
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What the model sees in place of the compacted messages. */
  readonly summary: string;
}

/** The compaction that an event reports; undefined for any other event. */
export function toCompactionData(event: SessionEvent): CompactionData | undefined {
  if (event.kind !== "compaction-ended" || event.outcome.kind !== "compacted") return undefined;
  const { tokensBefore, tokensAfter, summary } = event.outcome;
  return { session: event.session, reason: event.reason, tokensBefore, tokensAfter, summary };
}

/** The same, read back from what a framework has kept; undefined if it is something else. */
export function asCompactionData(value: unknown): CompactionData | undefined {
  const data = asObject(value);
  return asString(data?.["summary"]) === undefined ? undefined : (data as unknown as CompactionData);
}

/** What a session says about itself after an answer. */
export interface SessionReport {
  readonly session: string;
  readonly tokens: number;
  readonly percentLeft: number;
}

/** The name under which an answer's data have what its session says. */
const OWN = "palimpsest";

/** Data of an answer, with what its session says about itself. */
export function withReport(
  data: object | undefined,
  report: SessionReport,
  compactions: readonly CompactionData[],
): Record<string, unknown> {
  return { ...data, [OWN]: { ...report, ...(compactions.length === 0 ? {} : { compactions }) } };
}

/** The compactions that data of an answer show. */
export function compactionsIn(data: unknown): readonly CompactionData[] {
  const own = asObject(asObject(data)?.[OWN]);
  return (asList(own?.["compactions"]) ?? []).flatMap((value) => asCompactionData(value) ?? []);
}
