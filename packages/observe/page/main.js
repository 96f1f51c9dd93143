import { enter } from "./api.js";
import { isCopy, start } from "./copy.js";
import { el, fill } from "./dom.js";
import { showMemory } from "./memory.js";
import { showSession } from "./session.js";
import { showSessions } from "./sessions.js";

const page = document.querySelector("#page");
/** Ends what the shown page does beside being shown. */
let leave = () => {};

/**
 * Every state has an address: `#/` the sessions, `#/memory` with `/t/TOPIC` or `/c/CHANGE`, and of one session `#/s/KEY` with `/r/ENTRY` (request),
 * `/b/ENTRY` (boundary), `/e/ENTRY` (entry), `/tree`, `/what-if/POLICY,POLICY` or, in a copy, `/spent`.
 */
function readAddress() {
  const [, page, ...rest] = location.hash.split("/");
  if (page === "memory") return { page, kind: rest[0], name: rest[1] };
  const [key, kind, name] = rest;
  const entry = name !== undefined && /^\d+$/.test(name) ? Number(name) : undefined;
  return { page: key === undefined ? "sessions" : "session", key, kind, name, entry };
}

async function letIn() {
  if (isCopy) {
    if (location.hash === "") history.replaceState(null, "", start);
    return;
  }
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token === null) return;
  const session = given.get("session");
  history.replaceState(null, "", session === null ? "#/" : `#/s/${session}`);
  await enter(token);
}

async function show() {
  const address = readAddress();
  const pages = { sessions: showSessions, memory: showMemory, session: showSession };
  leave();
  leave = () => {};
  try {
    leave = (await pages[address.page](page, address)) ?? leave;
  } catch (error) {
    fill(page, el("main", {}, el("h1", {}, "Inspector"), el("p", { role: "alert" }, error.message)));
  }
}

addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
  if (key === "m" && !isCopy && !ctrlKey && !metaKey && !altKey && !(target instanceof HTMLInputElement))
    location.hash = "#/memory";
});

addEventListener("hashchange", () => {
  // Within a session, the session follows the address by itself.
  if (!document.dispatchEvent(new CustomEvent("moved", { cancelable: true, detail: readAddress() }))) return;
  show();
});

try {
  await letIn();
  await show();
} catch (error) {
  fill(page, el("main", {}, el("h1", {}, "Inspector"), el("p", { role: "alert" }, error.message)));
}
