import { get } from "./api.js";
import { bar } from "./bar.js";
import { has, isCopy } from "./copy.js";
import { el, fill, table } from "./dom.js";
import { spentElements } from "./spent.js";
import { bytes, counted, dollars, time } from "./words.js";

/** The list of sessions, with a filter. A copy lists what each session spent, and what all of them spent. */
export async function showSessions(page) {
  const { sessions, total, unreadable, spent } = await get("/api/sessions");
  const list = el("div");
  const draw = (words) => {
    const sought = words.toLowerCase();
    const found = sessions.filter(({ title, id, agent, folder = "" }) =>
      [title, id, agent, folder].some((text) => text.toLowerCase().includes(sought)),
    );
    const rows = found.map((session) => [
      nameOf(session),
      session.agent,
      time(session.usedAtMs),
      session.folder ?? "",
      ...(isCopy ? copyCells(session) : [bytes(session.bytes)]),
    ]);
    const heads = isCopy ? ["spent", "lost", "compactions", "requests in this file"] : ["size"];
    fill(list, table(["session", "agent", "last used", "folder", ...heads], rows));
  };
  const filter = el("input", { type: "search", id: "filter", oninput: () => draw(filter.value) });
  draw("");
  const which = isCopy ? "most expensive" : "newest";
  const more = total > sessions.length && el("p", {}, `The ${which} ${sessions.length} of ${total} are shown.`);
  fill(
    page,
    bar("sessions"),
    el(
      "main",
      {},
      el("h1", {}, "Sessions"),
      el(
        "p",
        {},
        isCopy ? counted(total, "session") : `${counted(total, "session")} of this folder and of other agents.`,
      ),
      el("p", {}, el("label", { for: "filter" }, "Filter "), filter),
      list,
      more,
      spent !== undefined && el("h2", {}, "Spent by all of them"),
      ...(spent === undefined ? [] : spentElements(spent)),
      unreadable.length > 0 && el("h2", {}, "Cannot be read"),
      unreadable.length > 0 &&
        table(
          ["session", "why"],
          unreadable.map(({ unreadable: name, why }) => [name, why]),
        ),
    ),
  );
  filter.focus();
}

function nameOf({ key, title, id }) {
  const name = title.trim() || id;
  return has(`/api/sessions/${key}`) ? el("td", {}, el("a", { href: `#/s/${key}` }, name)) : name;
}

function copyCells({ spent = {}, copied }) {
  const requests = copied === undefined ? "none" : `${copied.requests} of ${copied.of}`;
  return [dollars(spent.usd), dollars(spent.lostUsd), spent.compactions ?? "", requests];
}
