import { get } from "./api.js";
import { el, fill, table } from "./dom.js";
import { colorOf } from "./timeline.js";
import { counted, dollars, PLACES, time, tokens } from "./words.js";

const SHOWN_ROWS = 200;
const SHOWN_CHARACTERS = 20_000;
const HEIGHT = 64;
/** A scrubber that has not moved for so long rests. */
const RESTS_MS = 150;

/** One request: its bytes as a bar with the cache line, its parts, and how it differs from the one before. */
export async function showRequest(place, at, entry, signal) {
  const request = await get(`${at}/requests/${entry}`, signal);
  const { segments, line, model, atMs, total, characters, erasedSince, fidelity } = request;
  const text = el("pre", { className: "text", tabIndex: 0, role: "region", "aria-label": "Text of the chosen part" });
  const choose = async (segment) => {
    const to = Math.min(segment.to, segment.from + SHOWN_CHARACTERS);
    const body = await get(`${at}/requests/${entry}/body?from=${segment.from}&to=${to}`);
    const cut = to < segment.to ? `\n[${counted(segment.to - to, "character")} more]` : "";
    text.textContent = `${body.text}${cut}`;
  };
  const bar = el("canvas", { className: "bar", role: "img", "aria-label": describeBar(segments, line) });
  bar.addEventListener("click", ({ offsetX }) => {
    const character = (offsetX / bar.clientWidth) * characters;
    const found = segments.find(({ from, to }) => from <= character && character < to);
    if (found !== undefined) choose(found);
  });
  const rows = segments
    .slice(0, SHOWN_ROWS)
    .map((segment) => [
      el("td", {}, el("button", { type: "button", onclick: () => choose(segment) }, PLACES[segment.place])),
      segment.name ?? "",
      segment.entry ?? "",
      segment.standsFor === undefined ? "" : `${segment.standsFor.from} to ${segment.standsFor.to}`,
      tokens(segment.countedTokens ?? segment.tokens),
      segment.countedTokens ? `${Math.round((100 * segment.cachedTokens) / segment.countedTokens)}%` : "",
      dollars(segment.usd),
      segment.mark === undefined ? "" : "mark",
    ]);
  const difference = el("div");
  fill(
    place,
    el("h2", {}, `Request ${entry}`),
    el("p", {}, `${time(atMs)}, ${model}. ${counted(characters, "character")} in ${counted(total, "part")}.`),
    fidelity === "reconstructed" &&
      el("p", { className: "note" }, "Reconstructed from a transcript of another program: not the bytes that it sent."),
    erasedSince.length > 0 &&
      el("p", { className: "note" }, `Erased since it was sent: entries ${erasedSince.join(", ")}.`),
    el("p", {}, describeUsage(line)),
    bar,
    difference,
    text,
    table(["part", "name", "entry", "stands for", "tokens", "cached", "price", "cache"], rows),
    total > SHOWN_ROWS && el("p", {}, `The first ${SHOWN_ROWS} of ${total} parts are listed; the bar has all of them.`),
  );
  drawBar(bar, { segments, characters });
  if (request.previous === undefined) return;
  // Not while the scrubber moves: two more requests would have to be made for each that is passed.
  await new Promise((resolve) => setTimeout(resolve, RESTS_MS));
  if (!signal.aborted) await showDifference(difference, at, request.previous, entry, signal);
}

function describeUsage(line) {
  if (line === undefined) return "No response to it was recorded near by.";
  const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens, priceUsd } = line;
  const input = freshTokens + cacheReadTokens + cacheWriteTokens;
  return `${tokens(input)} tokens in (${tokens(cacheReadTokens)} read from the cache, ${tokens(cacheWriteTokens)} written), ${tokens(outputTokens)} out, ${dollars(priceUsd)}.`;
}

function describeBar(segments, line) {
  const cached = line === undefined ? "" : ` ${tokens(line.cacheReadTokens)} tokens were read from the cache.`;
  return `The bytes of the request, ${counted(segments.length, "part")}.${cached} The table below lists them.`;
}

/** Along the bytes: above by source, below what was read from the cache. */
function drawBar(canvas, { segments, characters }) {
  const width = canvas.clientWidth;
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  for (const { from, to, place, countedTokens, cachedTokens, mark } of segments) {
    const [left, length] = [(from / characters) * width, ((to - from) / characters) * width];
    pen.fillStyle = colorOf(place);
    pen.fillRect(left, 0, Math.max(0.5, length - (length > 3 ? 1 : 0)), HEIGHT - 16);
    if (countedTokens > 0) {
      const cached = length * (cachedTokens / countedTokens);
      pen.fillStyle = colorOf("cached");
      pen.fillRect(left, HEIGHT - 14, cached, 14);
      pen.fillStyle = colorOf("money");
      pen.fillRect(left + cached, HEIGHT - 14, length - cached, 14);
    }
    if (mark === undefined) continue;
    pen.fillStyle = colorOf("text");
    pen.fillRect(left + length - 1, 0, 2, HEIGHT);
  }
}

async function showDifference(place, at, before, after, signal) {
  const diff = await get(`${at}/requests/${before}/diff/${after}`, signal);
  const { shared, added, removed, changed, causes, settings } = diff;
  const parts = [
    `${added.length} added`,
    removed.length > 0 && `${removed.length} removed`,
    changed.length > 0 && `${changed.length} changed`,
    settings === "changed" && "settings changed",
  ].filter(Boolean);
  const why = causes.map(({ words, what, from }) => {
    const about = what.length === 0 ? "" : ` (${what.join("; ")})`;
    return el("li", {}, `${words}${about}${from === undefined ? "" : `, from entry ${from} on`}`);
  });
  fill(
    place,
    el("h3", {}, "Compared with the request before"),
    el("p", {}, `Both begin with the same ${tokens(shared.tokens)} tokens. Then: ${parts.join(", ")}.`),
    diff.break !== undefined &&
      el(
        "p",
        { className: "lost" },
        `Cache lost: ${tokens(diff.break.rebilledTokens)} tokens were paid for again (${dollars(diff.break.rebilledUsd)}).`,
      ),
    why.length > 0 && el("ul", {}, ...why),
  );
}
