import { get } from "./api.js";
import { bar } from "./bar.js";
import { el, fill, table } from "./dom.js";
import { bytes, counted, time } from "./words.js";

/** The list of sessions, with a filter. */
export async function showSessions(page) {
  const { sessions, total, unreadable } = await get("/api/sessions");
  const list = el("div");
  const draw = (words) => {
    const sought = words.toLowerCase();
    const found = sessions.filter(({ title, id, agent, folder = "" }) =>
      [title, id, agent, folder].some((text) => text.toLowerCase().includes(sought)),
    );
    const rows = found.map(({ key, title, id, agent, folder, usedAtMs, bytes: size }) => [
      el("td", {}, el("a", { href: `#/s/${key}` }, title.trim() || id)),
      agent,
      time(usedAtMs),
      folder ?? "",
      bytes(size),
    ]);
    fill(list, table(["session", "agent", "last used", "folder", "size"], rows));
  };
  const filter = el("input", { type: "search", id: "filter", oninput: () => draw(filter.value) });
  draw("");
  const more = total > sessions.length && el("p", {}, `The newest ${sessions.length} of ${total} are shown.`);
  fill(
    page,
    bar("sessions"),
    el(
      "main",
      {},
      el("h1", {}, "Sessions"),
      el("p", {}, `${counted(total, "session")} of this folder and of other agents.`),
      el("p", {}, el("label", { for: "filter" }, "Filter "), filter),
      list,
      more,
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
