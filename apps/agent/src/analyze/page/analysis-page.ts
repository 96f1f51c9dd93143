import { counted, dollars, tokens } from "@palimpsest/transcripts/analysis-words";
import type { Analysis, AnalysisSum } from "@palimpsest/transcripts/analyze";
import { time } from "../../text/table.ts";
import type { Analyses, AnalyzedFile } from "../read-analyses.ts";
import { lostBars, partBars } from "./cost-bars.ts";
import { card, priced, tiles } from "./elements.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { sessionCards, spentTiles } from "./session-cards.ts";
import { escapeText } from "./svg.ts";

const ABOUT_FIGURES =
  "Token sums are the provider's own counts. The shares of the parts are estimates that add up to these sums. A perfect cache keeps every prompt: each request reads from it everything that it has in common with the request before.";

/** A self-contained page: no scripts, nothing to load, printable. */
export function analysisPage({ sum, sessions }: Analyses): string {
  const only = sum.sessions === 1 ? sessions[0] : undefined;
  const title = only === undefined ? counted(sum.sessions, "session") : titleOf(only);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeText(title)}: what it spent</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>${escapeText(title)}</h1>
${only === undefined ? sumSections(sum, sessions) : `${aboutSession(only.analysis)}\n${sessionCards(only.analysis, "s0")}`}
<footer>Made by palimpsest analyze. ${escapeText(ABOUT_FIGURES)}</footer>
</main>
</body>
</html>
`;
}

function titleOf({ analysis: { session }, path }: AnalyzedFile): string {
  return session === undefined ? path : `${session.agent} in ${session.cwd ?? path}`;
}

function aboutSession({ session, startedAtMs, endedAtMs, points }: Analysis): string {
  const models = [...new Set(points.flatMap(({ model }) => model ?? []))];
  const about = [
    ...(session?.version === undefined ? [] : [`version ${session.version}`]),
    `session ${session?.id ?? "unknown"}`,
    `${time(startedAtMs)} to ${time(endedAtMs)} UTC`,
    ...models,
  ].join(", ");
  return `<p class="about">${escapeText(about)}</p>`;
}

function sumSections(sum: AnalysisSum, sessions: readonly AnalyzedFile[]): string {
  const { totals, readAgain, duplicateReads } = sum;
  const again = `After compactions, ${counted(readAgain.reads, "file")} were read again (${tokens(readAgain.tokens)} tokens${priced(readAgain.usd, ", ")})`;
  const twice = `of ${counted(duplicateReads.reads, "file read")}, ${duplicateReads.duplicates} returned text that was already in context (${tokens(duplicateReads.tokens)} tokens${priced(duplicateReads.usd, ", ")})`;
  return [
    `<p class="about">${counted(totals.responses, "response")}; below, the ${sessions.length} most expensive sessions.</p>`,
    tiles([...spentTiles(totals), [String(sum.breaks), "cache breaks"], [String(sum.compactions), "compactions"]]),
    card(
      "Where the money went",
      "What each part of the windows cost, in all sessions.",
      partBars(sum.parts, sum, "all-parts"),
    ),
    ...(Object.keys(sum.lost).length === 0
      ? []
      : [
          card(
            "Cost of cache misses, by cause",
            "What a perfect cache would have saved.",
            lostBars(sum.lost, "all-lost"),
          ),
        ]),
    card("Files read again", `${again}; ${twice}.`, ""),
    ...sessions.map(sessionDetails),
  ].join("\n");
}

function sessionDetails(file: AnalyzedFile, index: number): string {
  const { usd, responses } = file.analysis.totals;
  const summary = [...(usd > 0 ? [dollars(usd)] : []), counted(responses, "response"), titleOf(file)].join(" · ");
  const content = `${aboutSession(file.analysis)}${sessionCards(file.analysis, `s${index}`)}`;
  return `<details><summary>${escapeText(summary)}</summary>${content}</details>`;
}
