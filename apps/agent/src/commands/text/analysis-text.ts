import {
  type Analysis,
  type AnalysisSum,
  breakText,
  CAUSES,
  type CompactionReport,
  counted,
  dollars,
  type FileReads,
  type PartTotals,
  partName,
  pathEnd,
  percent,
  READ_AGAIN_ROUNDS,
  type SpentTotals,
  type ToolCost,
  tokens,
} from "@palimpsest/observe/analyze";
import { oneLine, table, time } from "../../text/table.ts";

const SHOWN_PARTS = 12;
const SHOWN_ROWS = 8;
const SHOWN_FILES = 4;
const BLOCKS = "▁▂▃▄▅▆▇█";
/** The width below which less important columns are left out. */
const NARROW_COLUMNS = 80;

/** Describes what one session spent. @param columns the width of the output */
export function analysisText(analysis: Analysis, columns: number): string {
  const { points, totals, subagents, duplicateReads, damagedLines } = analysis;
  if (points.length === 0) return "Nothing to analyze: no response of this session reports its usage.";
  return [
    heading(analysis),
    spentText(totals, subagents),
    windowText(analysis, columns),
    partsText(analysis.parts, totals, columns),
    toolsText(analysis.tools, columns),
    lostText(analysis.lost),
    breaksText(analysis, columns),
    compactionsText(analysis.compactions, columns),
    ...(duplicateReads.duplicates === 0 ? [] : [duplicatesText(duplicateReads, columns)]),
    resultsText(analysis, columns),
    ...(damagedLines === 0 ? [] : [`${counted(damagedLines, "damaged line")} skipped.`]),
  ]
    .filter((section) => section !== "")
    .join("\n\n");
}

interface NamedAnalysis {
  readonly path: string;
  readonly analysis: Analysis;
}

/** Describes what many sessions spent together, and lists the most expensive sessions. */
export function sumText(sum: AnalysisSum, sessions: readonly NamedAnalysis[], columns: number): string {
  const { totals, compactions, readAgain } = sum;
  const rows = sessions.map(({ path, analysis }) => [
    ...[dollars(analysis.totals.usd), dollars(analysis.totals.usd - analysis.totals.perfectUsd)],
    ...[analysis.totals.responses, analysis.compactions.length, pathEnd(path, Math.max(20, columns - 46))],
  ]);
  return [
    `${counted(sum.sessions, "session")}, ${counted(totals.responses, "response")}`,
    spentText(totals, sum.subagents),
    partsText(sum.parts, totals, columns),
    ...(sum.tools.length === 0 ? [] : [toolsText(sum.tools, columns)]),
    lostText(sum.lost),
    [
      `${counted(compactions, "compaction")}; files read again afterwards: ${readsText(readAgain)}`,
      duplicatesText({ ...sum.duplicateReads, files: [] }, columns),
    ].join("\n"),
    ...(sum.damagedLines === 0 ? [] : [`${counted(sum.damagedLines, "damaged line")} skipped.`]),
    table([["spent", "lost", "responses", "compactions", "session"], ...rows], [0, 1]),
  ].join("\n\n");
}

function heading({ session, startedAtMs, endedAtMs, points }: Analysis): string {
  const models = [...new Set(points.flatMap(({ model }) => model ?? []))];
  const about = session === undefined ? "A session" : `${session.agent} ${session.version ?? ""} session ${session.id}`;
  return [
    about.replace(/ +/g, " "),
    `  ${time(startedAtMs)} to ${time(endedAtMs)} UTC, ${counted(points.length, "response")} of ${models.join(", ") || "an unnamed model"}`,
    ...(session?.cwd === undefined ? [] : [`  ${session.cwd}`]),
  ].join("\n");
}

function spentText(totals: SpentTotals, subagents: SpentTotals): string {
  const { usd, perfectUsd, unpricedResponses, estimatedOutputs, responses } = totals;
  const input = totals.freshTokens + totals.cacheReadTokens + totals.cacheWriteTokens;
  return [
    ...(unpricedResponses < responses
      ? [
          `${dollars(usd)} spent; ${dollars(perfectUsd)} with a perfect cache, which is ${dollars(usd - perfectUsd)} less`,
        ]
      : []),
    ...(unpricedResponses === 0
      ? []
      : [`${counted(unpricedResponses, "response")} of models without a known price (see --price)`]),
    `${tokens(input)} tokens sent, ${percent(totals.cacheReadTokens, input)} of them read from the cache; ${tokens(totals.outputTokens)} written`,
    ...(estimatedOutputs === 0
      ? []
      : [
          `the output of ${counted(estimatedOutputs, "response")} is an estimate: the recording stops before their end`,
        ]),
    ...(subagents.responses === 0
      ? []
      : [
          `in addition, ${counted(subagents.responses, "response")} of subagents and summaries: ${dollars(subagents.usd)}`,
        ]),
  ].join("\n");
}

/** Draws the context window over time: a character for one or more requests, a bar for a compaction. */
function windowText({ points, compactions }: Analysis, columns: number): string {
  const sizes = points.map((point) => point.freshTokens + point.cacheReadTokens + point.cacheWriteTokens);
  const most = Math.max(...sizes);
  const width = Math.min(points.length, Math.max(10, columns - 4 - compactions.length));
  const folds = new Set(compactions.map(({ point }) => Math.ceil((point * width) / points.length)));
  const line = Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * points.length) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * points.length) / width));
    const size = Math.max(...sizes.slice(from, to));
    const height = Math.min(BLOCKS.length - 1, Math.floor((size / most) * BLOCKS.length));
    return `${folds.has(column) ? "|" : ""}${BLOCKS[height]}`;
  }).join("");
  const about = compactions.length === 0 ? "" : " (| marks a compaction)";
  return `Context window over time, at most ${tokens(most)} tokens${about}\n  ${line}`;
}

function partsText(parts: readonly PartTotals[], totals: SpentTotals, columns: number): string {
  const isPriced = totals.usd > 0;
  const measure = (part: PartTotals): number => (isPriced ? part.usd : part.sentTokens);
  const most = Math.max(...parts.map(measure), 1e-9);
  const whole = parts.reduce((sum, part) => sum + measure(part), 0);
  const barColumns = Math.max(0, Math.min(24, columns - 68));
  const row = (name: string, of: readonly PartTotals[]): string[] => {
    const sum = (count: (part: PartTotals) => number): number => of.reduce((total, part) => total + count(part), 0);
    return [
      ...[`  ${oneLine(name, Math.max(20, columns - 40))}`, ...(isPriced ? [dollars(sum(({ usd }) => usd))] : [])],
      ...[percent(sum(measure), whole), tokens(sum((part) => Math.max(part.addedTokens, part.outputTokens)))],
      ...[tokens(sum(({ sentTokens }) => sentTokens)), "#".repeat(Math.round((sum(measure) / most) * barColumns))],
    ];
  };
  const [shown, rest] = [parts.slice(0, SHOWN_PARTS), parts.slice(SHOWN_PARTS)];
  return table(
    [
      ["Spent on", ...(isPriced ? ["price"] : []), "", "new", "sent", ""],
      ...shown.map((part) => row(partName(part), [part])),
      ...(rest.length === 0 ? [] : [row(`${rest.length} more`, rest)]),
    ],
    isPriced ? [1, 2, 3, 4] : [1, 2, 3],
  );
}

/** Describes tool definitions. Only the proxy records them; transcripts do not contain them. */
function toolsText(tools: readonly ToolCost[], columns: number): string {
  if (tools.length === 0) return "";
  const row = (name: string, { tokens: count, requests, usd, calls }: Omit<ToolCost, "name">) => [
    ...[`  ${oneLine(name, Math.max(20, columns - 48))}`, tokens(count), usd === 0 ? "" : dollars(usd / requests)],
    ...[priced(usd), calls],
  ];
  const [shown, rest] = [tools.slice(0, SHOWN_PARTS), tools.slice(SHOWN_PARTS)];
  const others = rest.reduce(
    (sum, { tokens: count, requests, usd, calls }) => ({
      tokens: sum.tokens + count,
      requests: Math.max(sum.requests, requests),
      usd: sum.usd + usd,
      calls: sum.calls + calls,
    }),
    { tokens: 0, requests: 0, usd: 0, calls: 0 },
  );
  const unused = tools.filter(({ calls }) => calls === 0);
  const unusedTokens = unused.reduce((sum, { tokens: count }) => sum + count, 0);
  const title = `Tool definitions, in each request${unused.length === 0 ? "" : ` (${counted(unused.length, "tool")} never called: ${tokens(unusedTokens)} tokens)`}`;
  return `${title}\n${table(
    [
      ["  tool", "tokens", "a request", "all", "calls"],
      ...shown.map((tool) => row(tool.name, tool)),
      ...(rest.length === 0 ? [] : [row(`${rest.length} more`, others)]),
    ],
    [1, 2, 3, 4],
  )}`;
}

function lostText(lost: Analysis["lost"]): string {
  const causes = Object.entries(lost) as [keyof typeof CAUSES, NonNullable<Analysis["lost"]["pause"]>][];
  if (causes.length === 0) return "";
  const rows = causes
    .toSorted(([, one], [, other]) => other.usd - one.usd || other.tokens - one.tokens)
    .map(([cause, { breaks, tokens: count, usd }]) => [`  ${CAUSES[cause]}`, breaks, tokens(count), priced(usd)]);
  return table([["Cause of cache misses", "misses", "tokens", "price"], ...rows], [1, 2, 3]);
}

function breaksText({ breaks }: Analysis, columns: number): string {
  if (breaks.length === 0) return "";
  const largest = breaks.toSorted((one, other) => other.rebilledTokens - one.rebilledTokens).slice(0, SHOWN_ROWS);
  const rows = largest
    .toSorted((one, other) => one.atMs - other.atMs)
    .map((one) => [
      ...[`  ${shortTime(one.atMs, columns)}`, tokens(one.rebilledTokens), priced(one.usd ?? 0)],
      oneLine(breakText(one), Math.max(20, columns - 42)),
    ]);
  const title = breaks.length > largest.length ? `Cache misses, ${largest.length} of ${breaks.length}` : "Cache misses";
  return table([[title, "paid again", "price", "why"], ...rows], [1, 2]);
}

function compactionsText(compactions: readonly CompactionReport[], columns: number): string {
  if (compactions.length === 0) return "";
  const lines = compactions.flatMap(({ atMs, trigger, tokensBefore, tokensAfter, readAgain }) => {
    const how = trigger === "unknown" ? "" : `${trigger}, `;
    const after = tokensAfter === undefined ? "the end" : `${tokens(tokensAfter)} tokens`;
    const again = [
      `    read again within ${READ_AGAIN_ROUNDS} rounds: ${readsText(readAgain)}`,
      ...filesText(readAgain.files, columns),
    ];
    return [
      `  ${shortTime(atMs, columns)}  ${how}${tokens(tokensBefore)} to ${after}`,
      ...(readAgain.reads === 0 ? [] : again),
    ];
  });
  return ["Compactions", ...lines].join("\n");
}

function duplicatesText(reads: Analysis["duplicateReads"], columns: number): string {
  const { duplicates, tokens: count, usd, files } = reads;
  const price = usd === 0 ? "" : `, ${dollars(usd)}`;
  const about = `${duplicates} repeated text already in context: ${tokens(count)} tokens${price}`;
  return [`Of ${counted(reads.reads, "file read")}, ${about}`, ...filesText(files, columns)].join("\n");
}

function resultsText({ expensiveResults, totals }: Analysis, columns: number): string {
  if (expensiveResults.length === 0) return "";
  const rows = expensiveResults
    .slice(0, SHOWN_ROWS)
    .map(({ tool, about, tokens: count, requests, usd }) => [
      ...[`  ${tokens(count)} x ${requests}`, priced(usd)],
      `${tool} ${pathEnd(about, Math.max(20, columns - 40))}`,
    ]);
  const title = "Most expensive tool results (tokens x requests that contained them)";
  return `${title}\n${table(rows, totals.usd > 0 ? [1] : [])}`;
}

function readsText({
  reads,
  tokens: count,
  usd,
}: {
  readonly reads: number;
  readonly tokens: number;
  readonly usd: number;
}): string {
  return `${counted(reads, "file")}, ${tokens(count)} tokens${usd === 0 ? "" : `, ${dollars(usd)}`}`;
}

function filesText(files: readonly FileReads[], columns: number): string[] {
  return files
    .slice(0, SHOWN_FILES)
    .map(({ path, reads }) => `      ${reads}x ${pathEnd(path, Math.max(20, columns - 12))}`);
}

function priced(usd: number): string {
  return usd === 0 ? "" : dollars(usd);
}

function shortTime(atMs: number, columns: number): string {
  return columns < NARROW_COLUMNS ? time(atMs).slice("2026-".length) : time(atMs);
}
