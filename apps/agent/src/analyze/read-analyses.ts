import { findTranscripts, readTranscript, UnknownTranscriptError } from "@palimpsest/transcripts";
import { type Analysis, type AnalysisSum, addAnalysis, analyze, NO_SESSIONS } from "@palimpsest/transcripts/analyze";
import type { ModelFacts } from "palimpsest";
import { knownModel } from "palimpsest/core";

export interface AnalyzedFile {
  readonly path: string;
  /** Which one, of a file that holds several. */
  readonly session?: string;
  readonly analysis: Analysis;
}

export interface Analyses {
  readonly sum: AnalysisSum;
  /** Those that cost most, or sent most where prices are not known. */
  readonly sessions: readonly AnalyzedFile[];
  /** Files that are of no known format. */
  readonly unknown: readonly { readonly path: string; readonly why: string }[];
}

/** More sessions than these are in the sums alone: their windows would fill the memory. */
const MAX_SESSIONS = 30;

export type Prices = ReadonlyMap<string, NonNullable<ModelFacts["prices"]>>;

/** Analyses a file, or all sessions below a folder. Prices that are given win over those that are known. */
export async function readAnalyses(path: string, prices: Prices): Promise<Analyses> {
  const factsOf = (model: string): Pick<ModelFacts, "prices" | "cacheLifetimeMs"> => {
    const given = prices.get(model);
    return given === undefined ? knownModel(model).facts : { ...knownModel(model).facts, prices: given };
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
