import { dollars } from "@palimpsest/transcripts/analysis-words";
import { escapeText } from "./svg.ts";

/** A section of the page with a heading and a sentence about it. */
export function card(title: string, about: string, content: string): string {
  return `<section class="card"><h2>${escapeText(title)}</h2><p>${escapeText(about)}</p>${content}</section>`;
}

export type Tile = readonly [value: string, about: string];

export function tiles(all: readonly Tile[]): string {
  const items = all.map(
    ([value, about]) => `<li><strong>${escapeText(value)}</strong><span>${escapeText(about)}</span></li>`,
  );
  return `<ul class="tiles">${items.join("")}</ul>`;
}

export interface LegendEntry {
  readonly name: string;
  /** Drawn within 11 by 11. */
  readonly sign: string;
}

export function legend(entries: readonly LegendEntry[]): string {
  const items = entries.map(
    ({ sign, name }) => `<li><svg viewBox="0 0 11 11" aria-hidden="true">${sign}</svg>${escapeText(name)}</li>`,
  );
  return `<ul class="legend">${items.join("")}</ul>`;
}

export function square(className: string): string {
  return `<rect class="${className}" width="11" height="11" rx="2"/>`;
}

const NUMBERS: ReadonlySet<string> = new Set([
  "request",
  "paid again",
  "price",
  "tokens",
  "requests",
  "again",
  "before",
  "after",
]);
const LONG: ReadonlySet<string> = new Set(["why", "read again", "file", "result"]);

export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const classOf = (column: number): string => {
    const name = head[column]!;
    return NUMBERS.has(name) ? "number" : LONG.has(name) ? "what" : "when";
  };
  const names = head
    .map((name, column) => `<th scope="col" class="${classOf(column)}">${escapeText(name)}</th>`)
    .join("");
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => `<td class="${classOf(column)}">${escapeText(String(cell))}</td>`);
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr>${names}</tr></thead><tbody>${lines.join("\n")}</tbody></table></div>`;
}

/** The price as text; empty without a price. */
export function priced(usd: number, before = ""): string {
  return usd === 0 ? "" : `${before}${dollars(usd)}`;
}
