import { get } from "./api.js";
import { bar } from "./bar.js";
import { showBoundary } from "./boundary.js";
import { has, isCopy } from "./copy.js";
import { el, fill } from "./dom.js";
import { showEntry } from "./entry.js";
import { showRequest } from "./request.js";
import { showSpent } from "./spent.js";
import { colorOf, describePoint, drawTimeline, placeCursor } from "./timeline.js";
import { showTree } from "./tree.js";
import { showWhatIf } from "./what-if.js";
import { counted, dollars, PLACES } from "./words.js";

const POINTS = 600;
/** What an address can name beside a request. */
const SCREENS = { b: showBoundary, e: showEntry, tree: showTree, "what-if": showWhatIf, spent: showSpent };

const OF_A_SERVER = isCopy ? "" : " w: what if. m: memory. /: search.";
const KEYS = `Keys: left and right, Page Up and Page Down: requests. b: next cache break. t: forks, agents, mail.${OF_A_SERVER} Esc: sessions.`;

/** One session: its timeline, one scrubber, and the request or boundary that the scrubber or the address names. */
export async function showSession(page, { key, ...address }) {
  const at = `/api/sessions/${key}`;
  const about = await get(at);
  const state = { points: [], boundaries: [], at: 0, now: {}, reading: new AbortController() };
  const sources = about.windowSources;
  const canvas = el("canvas", { className: "timeline", role: "img", "aria-label": "Tokens in the window by source" });
  const cursor = el("div", { className: "cursor" });
  const scrubber = el("input", {
    type: "range",
    min: 0,
    id: "scrubber",
    "aria-label": "Request",
    className: "scrubber",
  });
  const said = el("p", { "aria-live": "polite" });
  const shown = el("div", { id: "shown" });
  const totals = el("p");
  const found = el("div");
  const stops = el("p", { className: "stops" });
  const decisions = el("div");

  async function load() {
    const { points } = await get(`${at}/timeline?points=${POINTS}`);
    const { events, next } = await get(`${at}/events?kind=boundary`);
    Object.assign(state, { points, boundaries: events });
    scrubber.max = String(Math.max(0, points.length - 1));
    const links = events.map((event) => el("a", { href: `#/s/${key}/b/${event.entry}` }, `entry ${event.entry}`));
    const rest = next !== undefined && `The first ${events.length} are listed and marked.`;
    fill(stops, links.length > 0 && "Compactions: ", ...links.flatMap((link) => [link, " "]), rest);
    const decided = await get(`${at}/events?kind=decision`);
    const items = decided.events.map(({ entry, text }) =>
      el("li", {}, el("a", { href: `#/s/${key}/e/${entry}` }, `entry ${entry}`), ` ${text}`),
    );
    const heading = `Decisions about the context window: ${decided.next === undefined ? items.length : `the first ${items.length}`}`;
    fill(decisions, items.length > 0 && el("details", {}, el("summary", {}, heading), el("ul", {}, ...items)));
  }
  function tell({ requests, usd, gapUsd, breaks, boundaries }) {
    fill(
      totals,
      `${counted(requests, "request")}, ${dollars(usd)}, ${dollars(gapUsd)} more than with a perfect cache, ${counted(breaks, "cache break")}, ${counted(boundaries, "compaction")}.`,
    );
  }
  const draw = () => drawTimeline(canvas, { ...state, sources });
  function mark() {
    placeCursor(cursor, state);
    const point = state.points[state.at];
    said.textContent = point === undefined ? "No request yet." : describePoint(point, sources);
    scrubber.value = String(state.at);
  }
  async function open(next) {
    state.now = next;
    state.reading.abort();
    state.reading = new AbortController();
    const { signal } = state.reading;
    try {
      const screen = SCREENS[next.kind];
      if (screen !== undefined) await screen(shown, { ...next, at, key, model: about.model, signal });
      else if (next.entry !== undefined) await showRequest(shown, at, next.entry, signal);
      else fill(shown);
    } catch (error) {
      if (!signal.aborted) fill(shown, el("p", { role: "alert" }, error.message));
    }
  }
  /** The scrubber drives all else: the address, the chart, and what is shown. */
  function move(to) {
    state.at = Math.max(0, Math.min(state.points.length - 1, to));
    mark();
    const point = state.points[state.at];
    if (point === undefined) return;
    history.replaceState(null, "", `#/s/${key}/r/${point.entry}`);
    open({ kind: "r", entry: point.entry });
  }
  function follow({ kind, entry, name }) {
    const index = state.points.findLastIndex((point) => entry === undefined || point.entry <= entry);
    state.at = Math.max(0, index);
    mark();
    open({ kind, name, entry: entry ?? state.points[state.at]?.entry });
  }

  scrubber.addEventListener("input", () => move(Number(scrubber.value)));
  canvas.addEventListener("click", ({ offsetX }) =>
    move(Math.floor((offsetX / canvas.clientWidth) * state.points.length)),
  );
  const search = el("input", {
    type: "search",
    id: "search",
    onchange: async () => {
      const { hits } = await get(`${at}/search?words=${encodeURIComponent(search.value)}`);
      const items = hits.map((hit) =>
        el("li", {}, el("a", { href: `#/s/${key}/r/${hit.request}` }, `entry ${hit.sequence}`), ` ${hit.snippet}`),
      );
      fill(found, el("p", {}, counted(items.length, "hit")), el("ul", {}, ...items));
    },
  });
  const legend = sources.map((source) => {
    const swatch = el("span", { className: "swatch" });
    swatch.style.background = colorOf(source);
    return el("span", { className: "key" }, swatch, PLACES[source]);
  });
  const views = el(
    "nav",
    { className: "bar-of-pages", "aria-label": "This session" },
    el("a", { href: `#/s/${key}` }, "Requests"),
    el("a", { href: `#/s/${key}/tree` }, "Forks, agents, mail"),
    !isCopy && el("a", { href: `#/s/${key}/what-if` }, "What if"),
    isCopy && has(`${at}/spent`) && el("a", { href: `#/s/${key}/spent` }, "Spent"),
  );
  fill(
    page,
    bar("session"),
    el(
      "main",
      {},
      el("h1", {}, `Session ${about.id}`),
      views,
      el("p", {}, [about.model, about.fidelity].filter(Boolean).join(", ")),
      about.copied !== undefined && aboutCopy(about.copied),
      totals,
      el("div", { className: "chart" }, canvas, cursor),
      scrubber,
      el("div", { className: "legend" }, ...legend),
      said,
      stops,
      decisions,
      !isCopy && el("p", {}, el("label", { for: "search" }, "Search "), search),
      found,
      shown,
      el("p", { className: "keys" }, KEYS),
    ),
  );
  await load();
  tell(about.totals);
  draw();
  follow(address);

  const onMoved = (event) => {
    if (event.detail.key !== key) return;
    event.preventDefault();
    follow(event.detail);
  };
  const onKey = (event) => {
    const { target } = event;
    if (target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target !== scrubber)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
    if (event.key in steps && event.target !== scrubber) move(state.at + steps[event.key]);
    else if (event.key === "b") move(state.points.findIndex(({ breaks }, index) => index > state.at && breaks > 0));
    else if (event.key === "t") location.hash = `#/s/${key}/tree`;
    else if (event.key === "w" && !isCopy) location.hash = `#/s/${key}/what-if`;
    else if (event.key === "/" && !isCopy) search.focus();
    else if (event.key === "Escape") location.hash = "#/";
    else return;
    event.preventDefault();
  };
  document.addEventListener("moved", onMoved);
  document.addEventListener("keydown", onKey);
  addEventListener("resize", draw);
  const live = isCopy ? undefined : new EventSource(`${at}/live?after=${about.totals.head.sequence}`);
  live?.addEventListener("grown", async ({ data }) => {
    const wasLast = state.at >= state.points.length - 1;
    tell(JSON.parse(data).totals);
    await load();
    draw();
    // Only who looks at the newest request is taken to the next one.
    const { kind } = state.now;
    if (wasLast && (kind === undefined || kind === "r")) move(state.points.length - 1);
    else mark();
  });
  return () => {
    state.reading.abort();
    live?.close();
    document.removeEventListener("moved", onMoved);
    document.removeEventListener("keydown", onKey);
    removeEventListener("resize", draw);
  };
}

function aboutCopy({ requests, of, leftOut, maxBytes }) {
  const all = `A copy in one file, with the text of ${requests} of ${counted(of, "request")} in the timeline.`;
  if (leftOut === 0) return el("p", {}, all);
  const most = `${Math.round(maxBytes / 1e6)} MB`;
  const why = `The oldest were left out, so that the file stays below ${most}: palimpsest inspect FILE shows them.`;
  return el("p", { className: "note" }, `${all} ${why}`);
}
