// Analyzes recorded sessions in a file or a folder.
import { findTranscripts, readTranscript, UnknownTranscriptError } from "@palimpsest/observe";
import { type Analysis, type AnalysisSum, addAnalysis, analyze, NO_SESSIONS } from "@palimpsest/observe/analyze";
import type { ModelFacts } from "palimpsest";
import { knownModel } from "palimpsest/provider-parts";

interface AnalyzedFile {
  readonly path: string;
  /** The session's name in a file with several sessions. */
  readonly session?: string;
  readonly analysis: Analysis;
}

export interface Analyses {
  readonly sum: AnalysisSum;
  /** The most expensive sessions, or the largest sessions if there are no prices. */
  readonly sessions: readonly AnalyzedFile[];
  /** Files of an unknown format. */
  readonly unknown: readonly { readonly path: string; readonly why: string }[];
}

/** Sessions beyond this number count only in the sums, because their details would fill the memory. */
const MAX_SESSIONS = 30;

export type Prices = ReadonlyMap<string, NonNullable<ModelFacts["prices"]>>;

/** Analyzes a file, or all sessions in a folder. @param prices prices that replace known prices */
export async function readAnalyses(path: string, prices: Prices): Promise<Analyses> {
  const factsOf = (model: string): Pick<ModelFacts, "prices" | "cacheLifetimeMs"> => {
    const ownPrices = prices.get(model);
    return ownPrices === undefined ? knownModel(model).facts : { ...knownModel(model).facts, prices: ownPrices };
  };
  const unknown: { path: string; why: string }[] = [];
  let sum = NO_SESSIONS;
  let sessions: AnalyzedFile[] = [];
  for await (const reference of findTranscripts(path)) {
    try {
      const analysis = await analyze(readTranscript(reference), { factsOf });
      if (analysis.points.length + analysis.subagents.responses === 0 && analysis.session === undefined) continue;
      sum = addAnalysis(sum, analysis);
      sessions = [...sessions, { ...reference, analysis }].sort(byCost).slice(0, MAX_SESSIONS);
    } catch (error) {
      if (!UnknownTranscriptError.isInstance(error)) throw error;
      unknown.push({ path: reference.path, why: error.message });
    }
  }
  return { sum, sessions, unknown };
}

function byCost({ analysis: one }: AnalyzedFile, { analysis: other }: AnalyzedFile): number {
  return other.totals.usd - one.totals.usd || other.totals.cacheReadTokens - one.totals.cacheReadTokens;
}
