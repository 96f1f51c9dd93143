import type { Analysis, LostTotals, PartTotals, SpentTotals, ToolCost } from "../../analyze/analysis.ts";
import type { AnalysisSum } from "../../analyze/sum-analyses.ts";
import { READ_AGAIN_ROUNDS } from "../../analyze/track-reads.ts";
import { breakText, CAUSES, counted, dollars, partName, percent, tokens } from "../../analyze/words.ts";

/** An analysis in words: the page only shows them. */
export interface SpentTables {
  readonly lines: readonly string[];
  readonly tables: readonly SpentTable[];
}

export interface SpentTable {
  readonly title: string;
  readonly about?: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

const ABOUT_FIGURES =
  "Token sums are the provider's own counts. The shares of the parts are estimates that add up to these sums. A perfect cache keeps every prompt: each request reads from it everything that it has in common with the request before.";

/** What one session spent, on what, and what was lost. */
export function spentBySession(analysis: Analysis): SpentTables {
  const { points, totals, subagents, parts, tools, lost, damagedLines } = analysis;
  if (points.length === 0) return { lines: ["No response of this session reports its usage."], tables: [] };
  const { breaks, compactions, duplicateReads, expensiveResults } = analysis;
  const breakRows = breaks.map((one) => [
    ...[time(one.atMs), one.point + 1, tokens(one.rebilledTokens), priced(one.usd ?? 0), breakText(one)],
  ]);
  const compactionRows = compactions.map(({ atMs, trigger, tokensBefore, tokensAfter, readAgain }) => {
    const after = tokensAfter === undefined ? "" : tokens(tokensAfter);
    const files = readAgain.files.map(({ path }) => path).join(", ");
    const again = readAgain.reads === 0 ? "nothing" : `${readsText(readAgain)}: ${files}`;
    return [time(atMs), trigger === "unknown" ? "" : trigger, tokens(tokensBefore), after, again];
  });
  const duplicateRows = duplicateReads.files.map((one) => [
    ...[one.path, one.reads, tokens(one.tokens), priced(one.usd)],
  ]);
  const resultRows = expensiveResults.map((one) => [
    ...[`${one.tool} ${one.about}`, tokens(one.tokens), one.requests, priced(one.usd)],
  ]);
  const tables: readonly SpentTable[] = [
    partsTable(parts, totals),
    toolsTable(tools),
    lostTable(lost),
    {
      title: "Cache misses",
      about: "Requests that found more than 5% and more than 2,000 tokens less than the request before had left.",
      heads: ["when (UTC)", "request", "paid again", "price", "why"],
      rows: breakRows,
    },
    {
      title: "Compactions",
      about: `What had been read before, and was read again within ${READ_AGAIN_ROUNDS} rounds, was missing in the summary.`,
      heads: ["when (UTC)", "how", "before", "after", "read again"],
      rows: compactionRows,
    },
    {
      title: "Read twice",
      about: duplicatesText(duplicateReads),
      heads: ["file", "again", "tokens", "price"],
      rows: duplicateRows,
    },
    {
      title: "Most expensive tool results",
      about: "You pay for a result with every request that contains it.",
      heads: ["result", "tokens", "requests", "price"],
      rows: resultRows,
    },
  ];
  return {
    lines: [...spentLines(totals, subagents, damagedLines), ABOUT_FIGURES],
    tables: tables.filter(({ rows }) => rows.length > 0),
  };
}

/** What many sessions spent together. */
export function spentByAll({ totals, subagents, parts, tools, lost, ...sum }: AnalysisSum): SpentTables {
  return {
    lines: [
      ...spentLines(totals, subagents, sum.damagedLines),
      `Cache misses: ${sum.breaks}. Compactions: ${sum.compactions}. Files read again after compactions: ${readsText(sum.readAgain)}.`,
      duplicatesText(sum.duplicateReads),
      ABOUT_FIGURES,
    ],
    tables: [partsTable(parts, totals), toolsTable(tools), lostTable(lost)].filter(({ rows }) => rows.length > 0),
  };
}

function spentLines(totals: SpentTotals, subagents: SpentTotals, damagedLines: number): readonly string[] {
  const { usd, perfectUsd, responses, unpricedResponses, estimatedOutputs } = totals;
  const input = totals.freshTokens + totals.cacheReadTokens + totals.cacheWriteTokens;
  const saved = `${dollars(perfectUsd)} with a perfect cache, which is ${dollars(usd - perfectUsd)} less`;
  return [
    ...(unpricedResponses < responses ? [`${dollars(usd)} spent; ${saved}.`] : []),
    ...(unpricedResponses === 0 ? [] : [`${counted(unpricedResponses, "response")} of models without a known price.`]),
    `${counted(responses, "response")}, ${tokens(input)} tokens sent, ${percent(totals.cacheReadTokens, input)} of them read from the cache; ${tokens(totals.outputTokens)} written.`,
    ...(estimatedOutputs === 0
      ? []
      : [
          `The output of ${counted(estimatedOutputs, "response")} is an estimate: the recording stops before their end.`,
        ]),
    ...(subagents.responses === 0
      ? []
      : [
          `In addition, ${counted(subagents.responses, "response")} of subagents and summaries: ${dollars(subagents.usd)}.`,
        ]),
    ...(damagedLines === 0 ? [] : [`${counted(damagedLines, "damaged line")} skipped.`]),
  ];
}

function partsTable(parts: readonly PartTotals[], totals: SpentTotals): SpentTable {
  const isPriced = totals.usd > 0;
  const measure = (part: PartTotals): number => (isPriced ? part.usd : part.sentTokens);
  const whole = parts.reduce((sum, part) => sum + measure(part), 0);
  const rows = parts.map((part) => [
    ...[partName(part), priced(part.usd), percent(measure(part), whole)],
    ...[tokens(Math.max(part.addedTokens, part.outputTokens)), tokens(part.sentTokens)],
  ]);
  return {
    title: "Where the money went",
    about:
      "What each part of the window cost: once for every request that carried it and, if the model wrote it, once more.",
    heads: ["part", "price", "share", "new tokens", "sent tokens"],
    rows,
  };
}

/** Only the proxy sees definitions of tools: a transcript has none. */
function toolsTable(tools: readonly ToolCost[]): SpentTable {
  const rows = tools.map(({ name, tokens: count, requests, usd, calls }) => [
    ...[name, tokens(count), usd === 0 ? "" : dollars(usd / requests), priced(usd), calls],
  ]);
  return { title: "Tool definitions, in each request", heads: ["tool", "tokens", "a request", "all", "calls"], rows };
}

function lostTable(lost: Analysis["lost"]): SpentTable {
  const causes = Object.entries(lost) as [keyof typeof CAUSES, LostTotals][];
  const rows = causes
    .toSorted(([, one], [, other]) => other.usd - one.usd || other.tokens - one.tokens)
    .map(([cause, { breaks, tokens: count, usd }]) => [CAUSES[cause], breaks, tokens(count), priced(usd)]);
  return {
    title: "Cost of cache misses, by cause",
    about: "What a perfect cache would have saved. A cause is named only where the record shows it.",
    heads: ["cause", "misses", "tokens", "price"],
    rows,
  };
}

function duplicatesText({ reads, duplicates, tokens: count, usd }: AnalysisSum["duplicateReads"]): string {
  const price = usd === 0 ? "" : `, ${dollars(usd)}`;
  return `Of ${counted(reads, "file read")}, ${duplicates} returned text that was already in context: ${tokens(count)} tokens${price}.`;
}

function readsText({ reads, tokens: count, usd }: AnalysisSum["readAgain"]): string {
  return `${counted(reads, "file")}, ${tokens(count)} tokens${usd === 0 ? "" : `, ${dollars(usd)}`}`;
}

function priced(usd: number): string {
  return usd === 0 ? "" : dollars(usd);
}

function time(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, "2026-01-01T00:00".length).replace("T", " ");
}
