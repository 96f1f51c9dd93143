/** What the page shows of a part of a request, in this order. A session has hundreds of thousands of them: names would be most of a file. */
export const SEGMENT_COLUMNS = [
  "from",
  "to",
  "place",
  "name",
  "entry",
  "standsFor",
  "tokens",
  "countedTokens",
  "cachedTokens",
  "usd",
  "mark",
] as const;

/** More digits than the page shows. */
const DIGITS = 6;

/** A segment as a row without names; `null` where it has nothing, and nothing at its end. `page/copy.js` makes segments of rows again. */
export function packSegment(segment: Readonly<Record<string, unknown>>): readonly unknown[] {
  const row = SEGMENT_COLUMNS.map((name) => rounded(segment[name] ?? null));
  return row.slice(0, row.findLastIndex((value) => value !== null) + 1);
}

function rounded(value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
}
