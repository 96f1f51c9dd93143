/**
 * Makes an element. Texts become text nodes and nothing else: what stands in a transcript cannot become markup.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [properties] `on...` are listeners, `data`, `aria-...` and `role` attributes, others properties
 * @param {...(Node | string | number | undefined | false)} children
 */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role" || name === "for") made.setAttribute(name, String(value));
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== undefined && child !== false).map(toNode));
  return made;
}

/** Puts other children into an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== undefined && child !== false).map(toNode));
}

function toNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

/** A table: a row of heads, then rows of cells. */
export function table(heads, rows) {
  const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
  return el(
    "div",
    { className: "scroll", tabIndex: 0, role: "region", "aria-label": heads.join(", ") },
    el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(toCell))))),
  );
}

function toCell(cell) {
  return cell instanceof HTMLTableCellElement ? cell : el("td", {}, cell ?? "");
}
