import { get } from "./api.js";
import { has } from "./copy.js";
import { el, fill, table } from "./dom.js";
import { counted, time } from "./words.js";

const KINDS = { root: "the session", fork: "fork", agent: "agent" };
const EVENTS = { agent: "agent", mail: "message", fork: "fork" };

/** The forks and agents of a session, as a tree; below it, what agents did and wrote to this session. */
export async function showTree(place, { at, key, signal }) {
  const { tree } = await get(`${at}/tree`, signal);
  const { events, next } = await get(`${at}/events?kind=agent&kind=mail&kind=fork`, signal);
  const rows = events.map(({ entry, atMs, event, text }) => [
    el("td", {}, el("a", { href: `#/s/${key}/e/${entry}` }, `entry ${entry}`)),
    time(atMs),
    EVENTS[event],
    text,
  ]);
  fill(
    place,
    el("h2", {}, "Forks, agents and mail"),
    el("p", {}, `${counted(sizeOf(tree) - 1, "fork or agent", "forks and agents")} of this session.`),
    el("ul", { className: "tree" }, toItem(tree, key)),
    el("h3", {}, "What agents did, and mail"),
    rows.length === 0 ? el("p", {}, "None.") : table(["entry", "time", "what", "text"], rows),
    next !== undefined && el("p", {}, `The first ${events.length} are listed.`),
  );
}

function toItem({ session, key: own, kind, at, label, children }, shownKey) {
  const where = at === undefined ? "" : ` from entry ${at}`;
  const name = own === shownKey ? el("strong", {}, session) : el("a", { href: `#/s/${own}` }, session);
  const text = ` ${KINDS[kind]}${where}${label ? `: ${label}` : ""}`;
  return el(
    "li",
    {},
    own === undefined || !has(`/api/sessions/${own}`) ? session : name,
    text,
    children.length > 0 && el("ul", {}, ...children.map((child) => toItem(child, shownKey))),
  );
}

function sizeOf({ children }) {
  return children.reduce((sum, child) => sum + sizeOf(child), 1);
}
