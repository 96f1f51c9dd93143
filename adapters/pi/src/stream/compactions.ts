import { type CompactionData, compactionsIn, type SessionReport, withReport } from "palimpsest/adapter-parts";
import { asList, asObject } from "palimpsest/schema";
import type { PiResponse } from "../provider/wire.ts";

type Diagnostic = NonNullable<PiResponse["diagnostics"]>[number];

/** The kind of pi's diagnostics in which an answer has what its session says. They are kept with it, and sent to nobody. */
const TYPE = "palimpsest";

/** The answer with what its session says about itself. */
export function withSession(
  message: PiResponse,
  report: SessionReport,
  compactions: readonly CompactionData[],
): PiResponse {
  const details = withReport(undefined, report, compactions) as NonNullable<Diagnostic["details"]>;
  const own: Diagnostic = { type: TYPE, timestamp: Date.now(), details };
  return { ...message, diagnostics: [...(message.diagnostics ?? []), own] };
}

/** Reads the compactions that took place before an answer: one of `agent.state.messages`. */
export function readCompactions(message: unknown): readonly CompactionData[] {
  return (asList(asObject(message)?.["diagnostics"]) ?? []).flatMap((value) => {
    const { type, details } = asObject(value) ?? {};
    return type === TYPE ? compactionsIn(details) : [];
  });
}
