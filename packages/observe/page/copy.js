/**
 * A page in one file holds the answers of the server in itself. `answers`: by address. `bodies`: the text of a request as numbers of
 * `texts`, since requests of one session have most of their text in common. `columns`: the names of what a row of `segments` has.
 */
const element = document.querySelector("#answers");
const embedded = element === null ? undefined : JSON.parse(element.textContent);

/** Whether this page is such a copy: nothing can be asked, nothing changes. */
export const isCopy = embedded !== undefined;

/** The address that a copy opens with. */
export const start = embedded?.start;

/** Whether an address can be read: a server is asked, a copy has it or not. */
export function has(path) {
  return !isCopy || Object.hasOwn(embedded.answers, path);
}

/** The answer that a copy holds for an address. */
export function readCopy(path) {
  const { pathname, searchParams } = new URL(path, "http://copy.invalid");
  if (Object.hasOwn(embedded.bodies, pathname)) {
    const body = embedded.bodies[pathname].map((number) => embedded.texts[number]).join("");
    return { text: body.slice(Number(searchParams.get("from")), Number(searchParams.get("to"))) };
  }
  if (!has(path)) throw new Error("This file does not hold it. To see all of a session: palimpsest inspect FILE");
  const value = embedded.answers[path];
  if (value.error !== undefined) throw new Error(value.error.message);
  return value.segments === undefined ? value : { ...value, segments: value.segments.map(toSegment) };
}

function toSegment(row) {
  const named = embedded.columns.map((name, column) => [name, row[column] ?? undefined]);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
