// Writes and reads the diagnostics that report on a session.

import { type CompactionData, compactionsIn, type SessionReport, withReport } from "palimpsest/adapter-parts";
import { asList, asObject } from "palimpsest/schema";
import type { PiResponse } from "../provider/wire.ts";

type Diagnostic = NonNullable<PiResponse["diagnostics"]>[number];

/** Adds the session's report to an answer. */
export function withSession(
  message: PiResponse,
  report: SessionReport,
  compactions: readonly CompactionData[],
): PiResponse {
  const details = withReport(undefined, report, compactions) as NonNullable<Diagnostic["details"]>;
  const own: Diagnostic = { type: TYPE, timestamp: Date.now(), details };
  return { ...message, diagnostics: [...(message.diagnostics ?? []), own] };
}

/** The type of the diagnostics that report on a session. pi keeps diagnostics with the answer, and sends them to no service. */
const TYPE = "palimpsest";

/** Reads the compactions that happened before an answer. @param message one of `agent.state.messages` */
export function readCompactions(message: unknown): readonly CompactionData[] {
  return (asList(asObject(message)?.["diagnostics"]) ?? []).flatMap((value) => {
    const { type, details } = asObject(value) ?? {};
    return type === TYPE ? compactionsIn(details) : [];
  });
}
