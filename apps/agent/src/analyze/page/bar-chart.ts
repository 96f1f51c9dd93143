import { pathEnd } from "@palimpsest/transcripts/analysis-words";
import { at, escapeText, svg } from "./svg.ts";

export interface Bar {
  readonly name: string;
  /** The value that the length shows. */
  readonly value: number;
  /** The value as text. */
  readonly label: string;
  /** A class of the style sheet. */
  readonly className: string;
  readonly about?: string;
}

/** Names, bars and labels stand beside each other. */
const WIDTHS = { all: 960, names: 190, labels: 160 };
const ROW_HEIGHT = 26;
const NAME_CHARACTERS = 26;

/** Horizontal bars with names on the left and values on the right. */
export function barChart(
  bars: readonly Bar[],
  { id, title, description }: { readonly id: string; readonly title: string; readonly description: string },
): string {
  const most = Math.max(...bars.map(({ value }) => value), 1e-12);
  const room = WIDTHS.all - WIDTHS.names - WIDTHS.labels;
  const rows = bars.map(({ name, value, label, className, about }, row) => {
    const y = row * ROW_HEIGHT;
    const length = Math.max(1.5, (value / most) * room);
    return [
      `<g><title>${escapeText([name, ...(about === undefined ? [] : [about])].join("\n"))}</title>`,
      `<text class="name" x="${WIDTHS.names - 12}" y="${y + 17}" text-anchor="end">${escapeText(pathEnd(name, NAME_CHARACTERS))}</text>`,
      `<rect class="${className}" x="${WIDTHS.names}" y="${y + 4}" width="${at(length)}" height="${ROW_HEIGHT - 9}" rx="2"/>`,
      `<text class="value" x="${at(WIDTHS.names + length + 8)}" y="${y + 17}">${escapeText(label)}</text></g>`,
    ].join("");
  });
  return svg({
    id,
    title,
    description,
    width: WIDTHS.all,
    height: Math.max(ROW_HEIGHT, bars.length * ROW_HEIGHT),
    content: rows.join("\n"),
  });
}
