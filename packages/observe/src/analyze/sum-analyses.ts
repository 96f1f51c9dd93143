import type { Analysis, BreakCause, LostTotals, PartTotals, SpentTotals, ToolCost } from "./analysis.ts";
import { NOTHING_SPENT, sumSpent } from "./spent.ts";

/** The spending of several sessions together. */
export interface AnalysisSum {
  readonly sessions: number;
  readonly totals: SpentTotals;
  readonly subagents: SpentTotals;
  /** The most expensive first. */
  readonly parts: readonly PartTotals[];
  /** What the definition of each tool costs, the most expensive first. */
  readonly tools: readonly ToolCost[];
  readonly lost: Readonly<Partial<Record<BreakCause, LostTotals>>>;
  readonly breaks: number;
  readonly compactions: number;
  /** Content that was read again after compactions. */
  readonly readAgain: { readonly reads: number; readonly tokens: number; readonly usd: number };
  readonly duplicateReads: {
    readonly reads: number;
    readonly duplicates: number;
    readonly tokens: number;
    readonly usd: number;
  };
  readonly damagedLines: number;
}

/** The sum over no sessions. */
export const NO_SESSIONS: AnalysisSum = {
  sessions: 0,
  totals: NOTHING_SPENT,
  subagents: NOTHING_SPENT,
  parts: [],
  tools: [],
  lost: {},
  breaks: 0,
  compactions: 0,
  readAgain: { reads: 0, tokens: 0, usd: 0 },
  duplicateReads: { reads: 0, duplicates: 0, tokens: 0, usd: 0 },
  damagedLines: 0,
};

/** Adds one more session. */
export function addAnalysis(sum: AnalysisSum, analysis: Analysis): AnalysisSum {
  const again = analysis.compactions.map(({ readAgain }) => readAgain);
  const { duplicateReads } = analysis;
  return {
    sessions: sum.sessions + 1,
    totals: sumSpent(sum.totals, analysis.totals),
    subagents: sumSpent(sum.subagents, analysis.subagents),
    parts: addParts(sum.parts, analysis.parts),
    tools: addTools(sum.tools, analysis.tools),
    lost: addLost(sum.lost, analysis.lost),
    breaks: sum.breaks + analysis.breaks.length,
    compactions: sum.compactions + analysis.compactions.length,
    readAgain: {
      reads: sum.readAgain.reads + again.reduce((total, { reads }) => total + reads, 0),
      tokens: sum.readAgain.tokens + again.reduce((total, { tokens }) => total + tokens, 0),
      usd: sum.readAgain.usd + again.reduce((total, { usd }) => total + usd, 0),
    },
    duplicateReads: {
      reads: sum.duplicateReads.reads + duplicateReads.reads,
      duplicates: sum.duplicateReads.duplicates + duplicateReads.duplicates,
      tokens: sum.duplicateReads.tokens + duplicateReads.tokens,
      usd: sum.duplicateReads.usd + duplicateReads.usd,
    },
    damagedLines: sum.damagedLines + analysis.damagedLines,
  };
}

function addParts(left: readonly PartTotals[], right: readonly PartTotals[]): readonly PartTotals[] {
  const parts = new Map(left.map((part) => [part.name, part]));
  for (const part of right) {
    const known = parts.get(part.name);
    parts.set(
      part.name,
      known === undefined
        ? part
        : {
            ...known,
            addedTokens: known.addedTokens + part.addedTokens,
            sentTokens: known.sentTokens + part.sentTokens,
            outputTokens: known.outputTokens + part.outputTokens,
            usd: known.usd + part.usd,
          },
    );
  }
  return [...parts.values()].sort((one, other) => other.usd - one.usd || other.sentTokens - one.sentTokens);
}

function addTools(left: readonly ToolCost[], right: readonly ToolCost[]): readonly ToolCost[] {
  const tools = new Map(left.map((tool) => [tool.name, tool]));
  for (const tool of right) {
    const { requests, usd, calls } = tools.get(tool.name) ?? { requests: 0, usd: 0, calls: 0 };
    const sums = { requests: requests + tool.requests, usd: usd + tool.usd, calls: calls + tool.calls };
    tools.set(tool.name, { ...tool, ...sums });
  }
  return [...tools.values()].sort((one, other) => other.usd - one.usd || other.tokens - one.tokens);
}

function addLost(left: AnalysisSum["lost"], right: AnalysisSum["lost"]): AnalysisSum["lost"] {
  const lost: Partial<Record<BreakCause, LostTotals>> = { ...left };
  for (const [cause, one] of Object.entries(right) as [BreakCause, LostTotals][]) {
    const known = lost[cause] ?? { breaks: 0, tokens: 0, usd: 0 };
    lost[cause] = { breaks: known.breaks + one.breaks, tokens: known.tokens + one.tokens, usd: known.usd + one.usd };
  }
  return lost;
}
