import { get } from "./api.js";
import { el, fill } from "./dom.js";
import { time } from "./words.js";

/** One entry of the log, as text. */
export async function showEntry(place, { at, entry, signal }) {
  const { entryKind, atMs, text, why, next } = await get(`${at}/entries/${entry}`, signal);
  fill(
    place,
    el("h2", {}, `Entry ${entry}`),
    el("p", {}, [entryKind, time(atMs)].filter(Boolean).join(", ")),
    why !== undefined && el("p", {}, why),
    el("pre", { className: "text", tabIndex: 0, role: "region", "aria-label": "Text of the entry" }, text),
    next !== undefined && el("p", {}, "The text is longer than this page shows."),
  );
}
