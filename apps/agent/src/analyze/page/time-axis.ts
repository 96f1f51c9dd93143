import { tokens } from "@palimpsest/transcripts/analysis-words";
import type { Analysis, WindowPoint } from "@palimpsest/transcripts/analyze";
import { time } from "../../text/table.ts";
import { at, escapeText, type Plot, stepFor, ticks } from "./svg.ts";

/** The approximate number of labels on the axis. */
const ALONG = 9;
/** The most columns: more could not be distinguished on a screen. */
const MAX_COLUMNS = 360;

export interface Column {
  /** The first and last request of the column, and the request that it shows. */
  readonly from: number;
  readonly to: number;
  readonly point: WindowPoint;
}

/** Groups the requests of a session into columns. A column with several requests shows the largest. */
export function columnsOf(points: readonly WindowPoint[], measure: (point: WindowPoint) => number): Column[] {
  const count = Math.min(points.length, MAX_COLUMNS);
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * points.length) / count);
    const to = Math.max(from, Math.floor(((column + 1) * points.length) / count) - 1);
    const point = points.slice(from, to + 1).reduce((most, one) => (measure(one) > measure(most) ? one : most));
    return { from, to, point };
  });
}

/** The middle of a request on the axis. */
export function xOf({ left, width }: Plot, index: number, points: number): number {
  return left + ((index + 0.5) / Math.max(1, points)) * width;
}

/** Grid lines and labels: tokens on the vertical axis, requests and times on the horizontal axis. */
export function axes(
  plot: Plot,
  { points }: Analysis,
  mostTokens: number,
): { readonly svg: string; readonly topTokens: number } {
  const { left, top, width, height } = plot;
  const values = ticks(mostTokens);
  const topTokens = values.at(-1) || 1;
  const lines = values.map((value) => {
    const y = top + height - (value / topTokens) * height;
    return `<line class="grid" x1="${left}" x2="${left + width}" y1="${at(y)}" y2="${at(y)}"/><text class="tick" x="${left - 8}" y="${at(y + 4)}" text-anchor="end">${tokens(value)}</text>`;
  });
  const step = Math.max(1, stepFor(points.length / ALONG));
  const numbers = Array.from({ length: Math.ceil(points.length / step) }, (_, index) => index * step);
  const labels = numbers
    .filter((index) => index < points.length)
    .map((index) => {
      const x = xOf(plot, index, points.length);
      const [day = "", clock = ""] = time(points[index]!.sentAtMs).split(" ");
      return [
        `<line class="grid" x1="${at(x)}" x2="${at(x)}" y1="${top + height}" y2="${top + height + 5}"/>`,
        `<text class="tick" x="${at(x)}" y="${top + height + 19}" text-anchor="middle">${index + 1}</text>`,
        `<text class="tick faint" x="${at(x)}" y="${top + height + 34}" text-anchor="middle"><title>${day}</title>${escapeText(clock)}</text>`,
      ].join("");
    });
  const unit = `<text class="tick faint" x="${left - 8}" y="${top - 10}" text-anchor="end">tokens</text>`;
  return { svg: [...lines, ...labels, unit].join("\n"), topTokens };
}
