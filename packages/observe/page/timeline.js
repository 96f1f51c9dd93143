import { dollars, PLACES, tokens } from "./words.js";

const HEIGHT = 180;
const MONEY = 40;

/** Colors that were looked up, until light becomes dark. */
const colors = new Map();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colors.clear();
  // Charts are drawn again as for another size.
  dispatchEvent(new Event("resize"));
});

/** The color of a source. A canvas does not understand `light-dark()` of the style sheet, so an element is asked what it means now. */
export function colorOf(place) {
  const known = colors.get(place);
  if (known !== undefined) return known;
  const probe = document.createElement("span");
  probe.style.color = `var(--${place}, gray)`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  colors.set(place, color);
  return color;
}

/** Draws the window by source over all requests, the money below it, boundaries and cache breaks. */
export function drawTimeline(canvas, { points, sources, boundaries }) {
  const width = canvas.clientWidth;
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = (HEIGHT + MONEY) * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.clearRect(0, 0, width, HEIGHT + MONEY);
  if (points.length === 0) return;
  const step = width / points.length;
  const sums = points.map(({ window }) => window.reduce((sum, part) => sum + part, 0));
  const most = Math.max(1, ...sums);
  const lowest = points.map(() => HEIGHT);
  sources.forEach((source, layer) => {
    pen.fillStyle = colorOf(source);
    points.forEach(({ window }, index) => {
      const height = (window[layer] / most) * (HEIGHT - 12);
      if (height <= 0) return;
      lowest[index] -= height;
      pen.fillRect(index * step, lowest[index], Math.max(1, step - (step > 4 ? 1 : 0)), height);
    });
  });
  const mostUsd = Math.max(1e-9, ...points.map(({ usd }) => usd));
  points.forEach(({ usd, gapUsd }, index) => {
    const height = (usd / mostUsd) * (MONEY - 6);
    pen.fillStyle = colorOf("money");
    pen.fillRect(index * step, HEIGHT + MONEY - height, Math.max(1, step - (step > 4 ? 1 : 0)), height);
    pen.fillStyle = colorOf("lost");
    const lost = Math.min(height, (Math.max(0, gapUsd) / mostUsd) * (MONEY - 6));
    pen.fillRect(index * step, HEIGHT + MONEY - lost, Math.max(1, step - (step > 4 ? 1 : 0)), lost);
  });
  pen.fillStyle = colorOf("lost");
  points.forEach(({ breaks }, index) => {
    if (breaks > 0) pen.fillRect(index * step, 0, Math.max(2, step / 2), 5);
  });
  pen.fillStyle = colorOf("boundary");
  let index = 0;
  for (const { entry } of boundaries) {
    while (index < points.length && points[index].entry <= entry) index++;
    pen.fillRect(index * step - 1, 0, 2, HEIGHT);
  }
}

/** Puts the frame around the chosen request. It is an element of its own, so that moving it does not draw the chart again. */
export function placeCursor(cursor, { points, at }) {
  cursor.hidden = points.length === 0;
  cursor.style.left = `${(100 * at) / Math.max(1, points.length)}%`;
  cursor.style.width = `${100 / Math.max(1, points.length)}%`;
}

/** The same in words, for those who do not see the chart. */
export function describePoint({ entry, window, usd, breaks, requests }, sources) {
  const largest = sources
    .map((source, layer) => [PLACES[source], window[layer]])
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 3)
    .map(([name, count]) => `${name} ${tokens(count)}`);
  const sum = window.reduce((total, part) => total + part, 0);
  const lost = breaks > 0 ? ", cache lost" : "";
  const many = requests > 1 ? `, the largest of ${requests}` : "";
  return `Request ${entry}${many}: ${tokens(sum)} tokens (${largest.join(", ")}), ${dollars(usd)}${lost}`;
}
