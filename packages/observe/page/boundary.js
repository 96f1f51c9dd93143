import { get, post } from "./api.js";
import { el, fill, table } from "./dom.js";
import { FATES, PLACES, time, tokens } from "./words.js";

/** One compaction: before, after, and what became of each item. */
export async function showBoundary(place, { at, entry, signal }) {
  const boundary = await get(`${at}/boundaries/${entry}`, signal);
  const { from, to, reasons, summary, before, after, survivors, items, fates, atMs } = boundary;
  const text = el("pre", { className: "text", tabIndex: 0, role: "region", "aria-label": "Text of the chosen entry" });
  const choose = async (of) => {
    const found = await get(`${at}/entries/${of}`);
    text.textContent = found.why ?? found.text;
  };
  const undone = el("p", { role: "status" });
  const undo = el("button", { type: "button" }, "Undo this compaction");
  undo.addEventListener("click", async () => {
    if (!confirm(`The model sees entries ${from} to ${to} again from the next request on. Undo this compaction?`))
      return;
    undo.disabled = true;
    try {
      const { tokensBefore, tokensAfter } = await post(`${at}/boundaries/${entry}/undo`);
      undone.textContent = `Undone: the model sees entries ${from} to ${to} again (${tokens(tokensBefore)} to ${tokens(tokensAfter)} tokens).`;
    } catch (error) {
      undone.textContent = error.message;
      undo.disabled = false;
    }
  });
  const rows = survivors.map(({ entry: of, place: source, tokens: count, fate, shownShare, preview }) => [
    el("td", {}, el("button", { type: "button", onclick: () => choose(of) }, `entry ${of}`)),
    PLACES[source],
    tokens(count),
    el("td", { className: fate }, FATES[fate]),
    `${Math.round(100 * shownShare)}%`,
    preview,
  ]);
  fill(
    place,
    el("h2", {}, `Compaction at entry ${entry}`),
    el("p", {}, `${time(atMs)}. Replaced entries ${from} to ${to}.`),
    el("pre", { className: "text", tabIndex: 0, role: "region", "aria-label": "Why" }, reasons),
    el("p", {}, `${tokens(before.totalTokens)} tokens before, ${tokens(after.totalTokens)} after.`),
    el(
      "p",
      {},
      `Of what it replaced: ${tokens(fates["in-view"])} in view, ${tokens(fates.recallable)} recallable, ${tokens(fates.lost)} lost.`,
    ),
    boundary.undo === "possible" && el("p", {}, undo),
    undone,
    el(
      "div",
      { className: "beside" },
      el(
        "section",
        {},
        el("h3", {}, "The summary"),
        el("pre", { className: "text", tabIndex: 0, role: "region", "aria-label": "Summary" }, summary),
      ),
      el("section", {}, el("h3", {}, "What it replaced"), text),
    ),
    table(["item", "source", "tokens", "now", "in view", "begins"], rows),
    items > survivors.length && el("p", {}, `The largest ${survivors.length} of ${items} are listed.`),
  );
}
