import { enter } from "./api.js";
import { el, fill } from "./dom.js";
import { showSession } from "./session.js";
import { showSessions } from "./sessions.js";

const page = document.querySelector("#page");
/** Ends what the shown page does beside being shown. */
let leave = () => {};

/** Every state has an address: `#/`, `#/s/KEY`, `#/s/KEY/r/ENTRY`, `#/s/KEY/b/ENTRY`. */
function readAddress() {
  const [, , key, kind, entry] = location.hash.split("/");
  return { key, kind, entry: entry === undefined ? undefined : Number(entry) };
}

async function letIn() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token === null) return;
  const session = given.get("session");
  history.replaceState(null, "", session === null ? "#/" : `#/s/${session}`);
  await enter(token);
}

async function show() {
  const { key, kind, entry } = readAddress();
  leave();
  leave = () => {};
  try {
    leave = (key === undefined ? await showSessions(page) : await showSession(page, { key, kind, entry })) ?? leave;
  } catch (error) {
    fill(page, el("main", {}, el("h1", {}, "Inspector"), el("p", { role: "alert" }, error.message)));
  }
}

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
