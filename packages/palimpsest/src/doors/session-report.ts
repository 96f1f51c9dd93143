import { asCompactionData, type CompactionData } from "../adapters/report.ts";
import { asList, asObject } from "../schema/json-fields.ts";

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
