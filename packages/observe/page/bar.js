import { isCopy } from "./copy.js";
import { el } from "./dom.js";

const PAGES = [["sessions", "Sessions", "#/"], ...(isCopy ? [] : [["memory", "Memory", "#/memory"]])];

/** The links that every page begins with. */
export function bar(current) {
  const links = PAGES.map(([name, text, href]) =>
    el("a", { href, ...(name === current ? { "aria-current": "page" } : {}) }, text),
  );
  return el("nav", { className: "bar-of-pages", "aria-label": "Pages" }, ...links);
}
