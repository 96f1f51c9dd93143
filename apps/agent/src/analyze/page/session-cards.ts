import { breakText, counted, dollars, percent, tokens } from "@palimpsest/transcripts/analysis-words";
import { type Analysis, READ_AGAIN_ROUNDS, type SpentTotals } from "@palimpsest/transcripts/analyze";
import { time } from "../../text/table.ts";
import { cacheChart, SORTS } from "./cache-chart.ts";
import { lostBars, partBars } from "./cost-bars.ts";
import { card, legend, priced, square, type Tile, table, tiles } from "./elements.ts";
import { LAYERS, MARKS, windowChart } from "./window-chart.ts";

/** All cards about one session. */
export function sessionCards(analysis: Analysis, id: string): string {
  if (analysis.points.length === 0) return `<p class="about">No response in it says what it used.</p>`;
  const cards = [windowCard, partsCard, cacheCard, lostCard, breaksCard, compactionsCard, duplicatesCard, resultsCard];
  return [sessionTiles(analysis), ...cards.map((make) => make(analysis, id))].join("\n");
}

export function spentTiles(totals: SpentTotals): Tile[] {
  const { usd, perfectUsd, responses, unpricedResponses, cacheReadTokens, freshTokens, cacheWriteTokens } = totals;
  const input = freshTokens + cacheReadTokens + cacheWriteTokens;
  const unpriced = unpricedResponses > 0 ? `, without ${counted(unpricedResponses, "unpriced response")}` : "";
  const spent: Tile[] = [
    [dollars(usd), `spent${unpriced}`],
    [dollars(usd - perfectUsd), "lost to the cache"],
  ];
  return [
    ...(unpricedResponses < responses ? spent : []),
    [responses.toLocaleString("en-US"), "responses"],
    [tokens(input), "tokens sent"],
    [percent(cacheReadTokens, input), "of them read from the cache"],
  ];
}

function sessionTiles({ points, totals, compactions, breaks }: Analysis): string {
  const most = Math.max(...points.map((point) => point.freshTokens + point.cacheReadTokens + point.cacheWriteTokens));
  return tiles([
    ...spentTiles(totals),
    [tokens(most), "tokens, the window at its largest"],
    [String(breaks.length), breaks.length === 1 ? "cache break" : "cache breaks"],
    [String(compactions.length), compactions.length === 1 ? "compaction" : "compactions"],
  ]);
}

function windowCard(analysis: Analysis, id: string): string {
  const layers = LAYERS.map(({ kind, name }) => ({ name, sign: square(`part-${kind}`) }));
  const content = windowChart(analysis, `${id}-window`) + legend([...layers, ...MARKS]);
  return card("What filled the window", "One column for each request. Hover over it for its parts.", content);
}

function partsCard(analysis: Analysis, id: string): string {
  const about = "What each part of the window cost: sent with every request, and written once if the model wrote it.";
  return card("Where the money went", about, partBars(analysis.parts, analysis, `${id}-parts`));
}

function cacheCard(analysis: Analysis, id: string): string {
  const sorts = SORTS.map(({ sort, name }) => ({ name, sign: square(`cache-${sort}`) }));
  const about = "What is read costs a tenth of its price or less; what is written, its full price and more.";
  return card("Reads from the cache and writes to it", about, cacheChart(analysis, `${id}-cache`) + legend(sorts));
}

function lostCard({ lost }: Analysis, id: string): string {
  if (Object.keys(lost).length === 0) return "";
  const about =
    "What a perfect cache would have saved. A cause is named only where the record shows it: other tools or another system prompt it cannot show.";
  return card("Cost of cache misses, by cause", about, lostBars(lost, `${id}-lost`));
}

function breaksCard({ breaks }: Analysis): string {
  if (breaks.length === 0) return "";
  const about = "Requests that found more than 5% and more than 2,000 tokens less than the one before had left.";
  const rows = breaks.map((one) => [
    ...[time(one.atMs), one.point + 1, breakText(one), tokens(one.rebilledTokens), priced(one.usd ?? 0)],
  ]);
  return card(
    counted(breaks.length, "cache break"),
    about,
    table(["when (UTC)", "request", "why", "paid again", "price"], rows),
  );
}

function compactionsCard({ compactions }: Analysis): string {
  if (compactions.length === 0) return "";
  const about = `What had been read before, and was read again within ${READ_AGAIN_ROUNDS} rounds, was missed in the summary.`;
  const rows = compactions.map(({ atMs, trigger, tokensBefore, tokensAfter, readAgain }) => {
    const { reads, tokens: count, usd, files } = readAgain;
    const paths = files.map(({ path }) => path).join(", ");
    const again = `${counted(reads, "file")}, ${tokens(count)} tokens${priced(usd, ", ")}: ${paths}`;
    const after = tokensAfter === undefined ? "" : tokens(tokensAfter);
    return [time(atMs), trigger, tokens(tokensBefore), after, reads === 0 ? "nothing" : again];
  });
  const head = ["when (UTC)", "how", "before", "after", "read again"];
  return card(counted(compactions.length, "compaction"), about, table(head, rows));
}

function duplicatesCard({ duplicateReads }: Analysis): string {
  const { reads, duplicates, tokens: count, usd, files } = duplicateReads;
  if (duplicates === 0) return "";
  const brought = `${duplicates} brought, byte for byte, what was in the window already`;
  const about = `Of ${counted(reads, "read")} of files ${brought}: ${tokens(count)} tokens${priced(usd, ", ")}.`;
  const rows = files.map((one) => [one.path, one.reads, tokens(one.tokens), priced(one.usd)]);
  return card("Read twice", about, table(["file", "again", "tokens", "price"], rows));
}

function resultsCard({ expensiveResults }: Analysis): string {
  if (expensiveResults.length === 0) return "";
  const rows = expensiveResults.map((one) => [
    ...[`${one.tool} ${one.about}`, tokens(one.tokens), one.requests, priced(one.usd)],
  ]);
  const about = "A result is paid for with every request that carries it.";
  return card("Most expensive tool results", about, table(["result", "tokens", "requests", "price"], rows));
}
