import { breakText, dollars, partName, tokens } from "@palimpsest/transcripts/analysis-words";
import type { Analysis, PartKind, WindowPoint } from "@palimpsest/transcripts/analyze";
import { at, escapeText, type Plot, svg } from "./svg.ts";
import { axes, columnsOf, xOf } from "./time-axis.ts";

/** From the bottom, in the order of the prompt as far as there is one. */
export const LAYERS: readonly { readonly kind: PartKind; readonly name: string }[] = [
  { kind: "fixed", name: "system prompt, tools" },
  { kind: "summary", name: "summaries" },
  { kind: "user", name: "the user" },
  { kind: "agent", name: "added by the agent" },
  { kind: "thinking", name: "thinking" },
  { kind: "assistant", name: "the model's answers" },
  { kind: "calls", name: "tool calls" },
  { kind: "results", name: "tool results" },
];

/** The marks of the legend: compactions and cache misses. */
export const MARKS: readonly { readonly name: string; readonly sign: string }[] = [
  { name: "a compaction", sign: '<g class="fold"><path d="M5.5 10l-5 -8h10z"/></g>' },
  { name: "the cache was lost", sign: '<circle class="break" cx="5.5" cy="5.5" r="4"/>' },
];

const PLOT: Plot = { left: 58, top: 38, width: 886, height: 250 };
/** The lanes above the plot: one for compactions, one for cache misses. */
const FOLDS_Y = PLOT.top - 6;
const BREAKS_Y = PLOT.top - 26;

/** The parts of the window for each request, with compactions and cache misses. */
export function windowChart(analysis: Analysis, id: string): string {
  const { points, compactions, breaks } = analysis;
  const columns = columnsOf(points, sizeOf);
  const kinds = new Map(analysis.parts.map(({ name, kind }) => [name, kind]));
  const shares = columns.map(({ point }) => layersOf(point, kinds));
  const most = Math.max(...points.map(sizeOf), 1);
  const { svg: grid, topTokens } = axes(PLOT, analysis, most);
  const y = (value: number): number => PLOT.top + PLOT.height - (value / topTokens) * PLOT.height;
  const x = (column: number): number => PLOT.left + (column / columns.length) * PLOT.width;

  const areas = LAYERS.map(({ kind, name }, layer) => {
    const base = shares.map((share) => sum(share.slice(0, layer)));
    const top = shares.map((share) => sum(share.slice(0, layer + 1)));
    if (shares.every((share) => share[layer] === 0)) return "";
    // Steps instead of slopes, since there is no value between two requests.
    const upper = top.map((value, column) => `L${at(x(column))} ${at(y(value))}H${at(x(column + 1))}`).join("");
    const lower = base
      .map((value, column) => `L${at(x(column + 1))} ${at(y(value))}H${at(x(column))}`)
      .toReversed()
      .join("");
    return `<path class="part-${kind}" d="M${at(x(0))} ${at(y(0))}${upper}${lower}Z"><title>${escapeText(name)}</title></path>`;
  });
  const folds = compactions.map(({ point, tokensBefore, tokensAfter, trigger }) => {
    const place = at(PLOT.left + (point / Math.max(1, points.length)) * PLOT.width);
    const after = tokensAfter === undefined ? "" : ` to ${tokens(tokensAfter)}`;
    const about = `compaction (${trigger}): ${tokens(tokensBefore)}${after} tokens`;
    return `<g class="fold"><title>${escapeText(about)}</title><line x1="${place}" x2="${place}" y1="${FOLDS_Y}" y2="${PLOT.top + PLOT.height}"/><path d="M${place} ${FOLDS_Y}l-5 -8h10z"/></g>`;
  });
  const marks = breaks.map((one) => {
    const place = at(xOf(PLOT, one.point, points.length));
    const price = one.usd === undefined ? "" : `, ${dollars(one.usd)}`;
    const about = `cache lost: ${breakText(one)}; ${tokens(one.rebilledTokens)} tokens paid again${price}`;
    return `<circle class="break" cx="${place}" cy="${BREAKS_Y}" r="3.6"><title>${escapeText(about)}</title></circle>`;
  });
  const hover = columns.map(({ from, to, point }, column) => {
    const number = from === to ? `request ${from + 1}` : `requests ${from + 1} to ${to + 1}, the largest`;
    const parts = LAYERS.map(({ name }, layer) => ({ name, value: shares[column]![layer]! }))
      .filter(({ value }) => value > 0)
      .toReversed()
      .map(({ name, value }) => `${name}: ${tokens(value)}`);
    const about = [`${number}: ${tokens(sizeOf(point))} tokens`, ...parts].join("\n");
    const wide = PLOT.width / columns.length;
    return `<rect class="hover" x="${at(x(column))}" y="${PLOT.top}" width="${at(wide)}" height="${PLOT.height}"><title>${escapeText(about)}</title></rect>`;
  });
  return svg({
    id,
    title: "The window over time",
    width: 960,
    height: 334,
    description: `${points.length} requests; the window has at most ${tokens(most)} tokens and is compacted ${compactions.length} times. The largest part at its end: ${largestAtEnd(analysis)}.`,
    content: [grid, ...areas, ...hover, ...folds, ...marks].join("\n"),
  });
}

function layersOf({ parts }: WindowPoint, kinds: ReadonlyMap<string, PartKind>): number[] {
  const byKind = new Map<PartKind, number>();
  for (const [name, count] of Object.entries(parts)) {
    const kind = kinds.get(name) ?? "agent";
    byKind.set(kind, (byKind.get(kind) ?? 0) + count);
  }
  return LAYERS.map(({ kind }) => byKind.get(kind) ?? 0);
}

function largestAtEnd({ points, parts }: Analysis): string {
  const last = Object.entries(points.at(-1)?.parts ?? {}).toSorted(([, one], [, other]) => other - one);
  const [name, count] = last[0] ?? ["", 0];
  const part = parts.find((one) => one.name === name);
  return part === undefined ? "none" : `${partName(part)}, ${tokens(count)} tokens`;
}

function sizeOf({ freshTokens, cacheReadTokens, cacheWriteTokens }: WindowPoint): number {
  return freshTokens + cacheReadTokens + cacheWriteTokens;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
