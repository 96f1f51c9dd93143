import { get } from "./api.js";
import { bar } from "./bar.js";
import { el, fill, table } from "./dom.js";
import { counted, time } from "./words.js";

/** The memory across sessions: topics with their evidence, proposals, history. `#/memory/t/SLUG` and `#/memory/c/COMMIT` choose. */
export async function showMemory(page, { kind, name }) {
  const { topics, inbox, forgotten, problems, history } = await get("/api/memory");
  const shown = el("div", { id: "shown", "aria-live": "polite" });
  const topicRows = topics.map(({ slug, name: title, description, type, author, updatedAtMs }) => [
    el("td", {}, el("a", { href: `#/memory/t/${encodeURIComponent(slug)}` }, title)),
    description,
    type,
    author,
    time(updatedAtMs),
  ]);
  const inboxRows = inbox.map(({ draft, why, by, proposedAtMs, over }) => [
    draft.name,
    draft.body,
    over === "absent" ? "new" : "a change",
    why,
    by,
    time(proposedAtMs),
  ]);
  const commits = history.commits.map(({ commit, atMs, by, message, changes }) => [
    el("td", {}, el("a", { href: `#/memory/c/${commit}` }, commit.slice(0, 8))),
    time(atMs),
    by,
    message,
    changes.map(({ path, how }) => `${how} ${path}`).join(", "),
  ]);
  const orNone = (heads, rows) => (rows.length === 0 ? el("p", {}, "None.") : table(heads, rows));
  fill(
    page,
    bar("memory"),
    el(
      "main",
      {},
      el("h1", {}, "Memory"),
      el("p", {}, `${counted(topics.length, "memory", "memories")}, ${counted(inbox.length, "proposal")} to decide.`),
      el("p", {}, "Decide about proposals with ", el("code", {}, "palimpsest memory inbox"), "."),
      shown,
      el("h2", {}, "Memories"),
      orNone(["name", "about", "type", "by", "changed"], topicRows),
      el("h2", {}, "Proposals"),
      orNone(["name", "text", "what", "why", "by", "proposed"], inboxRows),
      el("h2", {}, "History"),
      history.why !== undefined && el("p", {}, history.why),
      orNone(["change", "time", "by", "message", "files"], commits),
      forgotten.length > 0 && el("h2", {}, "Forgotten"),
      forgotten.length > 0 &&
        table(
          ["memory", "when", "because"],
          forgotten.map(({ topic, atMs, because }) => [topic, time(atMs), because]),
        ),
      problems.length > 0 && el("h2", {}, "Problems"),
      problems.length > 0 &&
        table(
          ["file", "what"],
          problems.map(({ path, what }) => [path, what]),
        ),
    ),
  );
  if (kind === "t") await showTopic(shown, name);
  if (kind === "c") await showChange(shown, name);
  if (kind !== undefined) shown.scrollIntoView({ block: "nearest" });
  return undefined;
}

async function showTopic(place, slug) {
  const { name, description, body, evidence } = await get(`/api/memory/topics/${slug}`);
  const items = evidence.map(({ session, entry, quote, key }) => {
    const of = `${session}, entry ${entry}`;
    return el(
      "li",
      {},
      el("q", {}, quote),
      " ",
      key === undefined ? of : el("a", { href: `#/s/${key}/e/${entry}` }, of),
    );
  });
  fill(
    place,
    el("h2", {}, name),
    el("p", {}, description),
    el("pre", { className: "text", tabIndex: 0, role: "region", "aria-label": "Text of the memory" }, body),
    el("h3", {}, "Evidence"),
    items.length === 0 ? el("p", {}, "None: the user wrote it, or it is older than evidence.") : el("ul", {}, ...items),
  );
}

async function showChange(place, commit) {
  const { text } = await get(`/api/memory/commits/${commit}`);
  const label = "What the change did";
  fill(
    place,
    el("h2", {}, `Change ${commit.slice(0, 8)}`),
    el("pre", { className: "text", tabIndex: 0, role: "region", "aria-label": label }, text),
  );
}
