import { percent, tokens } from "@palimpsest/transcripts/analysis-words";
import type { Analysis, WindowPoint } from "@palimpsest/transcripts/analyze";
import { at, escapeText, type Plot, svg } from "./svg.ts";
import { axes, columnsOf } from "./time-axis.ts";

const PLOT: Plot = { left: 58, top: 26, width: 886, height: 170 };

/** From the bottom: the cheapest first. */
export const SORTS: readonly { readonly sort: string; readonly name: string; of(point: WindowPoint): number }[] = [
  { sort: "read", name: "read from the cache", of: (point) => point.cacheReadTokens },
  { sort: "write", name: "written to the cache", of: (point) => point.cacheWriteTokens },
  { sort: "fresh", name: "neither", of: (point) => point.freshTokens },
];

/** Cache reads and writes of each request. If a column stands for several requests, it shows the one that read least. */
export function cacheChart(analysis: Analysis, id: string): string {
  const { points, totals } = analysis;
  const unread = ({ freshTokens, cacheWriteTokens }: WindowPoint): number => freshTokens + cacheWriteTokens;
  const columns = columnsOf(points, unread);
  const most = Math.max(...points.map((point) => unread(point) + point.cacheReadTokens), 1);
  const { svg: grid, topTokens } = axes(PLOT, analysis, most);
  const wide = PLOT.width / columns.length;
  const gap = wide > 4 ? 0.8 : 0;
  const bars = columns.map(({ from, point }, column) => {
    let base = 0;
    const rects = SORTS.map(({ sort, of }) => {
      const count = of(point);
      const height = (count / topTokens) * PLOT.height;
      const top = PLOT.top + PLOT.height - (base / topTokens) * PLOT.height - height;
      base += count;
      if (height < 0.05) return "";
      return `<rect class="cache-${sort}" x="${at(PLOT.left + column * wide)}" y="${at(top)}" width="${at(Math.max(0.6, wide - gap))}" height="${at(height)}"/>`;
    });
    const about = [`request ${from + 1}`, ...SORTS.map(({ name, of }) => `${name}: ${tokens(of(point))}`)].join("\n");
    return `<g><title>${escapeText(about)}</title>${rects.join("")}</g>`;
  });
  const input = totals.freshTokens + totals.cacheReadTokens + totals.cacheWriteTokens;
  return svg({
    id,
    title: "Reads from the cache and writes to it",
    width: 960,
    height: 240,
    description: `Of ${tokens(input)} tokens sent, ${percent(totals.cacheReadTokens, input)} were read from the cache and ${percent(totals.cacheWriteTokens, input)} written to it.`,
    content: [grid, ...bars].join("\n"),
  });
}
