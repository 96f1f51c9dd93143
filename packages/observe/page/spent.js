import { get } from "./api.js";
import { el, fill, table } from "./dom.js";

/** What a session spent, on what, and what was lost: an analysis of its transcript. Only a copy has it. */
export async function showSpent(place, { at, signal }) {
  fill(place, el("h2", {}, "Spent"), ...spentElements(await get(`${at}/spent`, signal)));
}

/** An analysis as sentences and tables. */
export function spentElements({ lines, tables }) {
  return [
    ...lines.map((line) => el("p", {}, line)),
    ...tables.flatMap(({ title, about, heads, rows }) => [
      el("h3", {}, title),
      about !== undefined && el("p", {}, about),
      rows.length > 0 && table(heads, rows),
    ]),
  ];
}
