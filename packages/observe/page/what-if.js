import { get } from "./api.js";
import { el, fill, table } from "./dom.js";
import { counted, dollars, tokens } from "./words.js";

/** This session under other policies: what it would have cost, and what would have been missing. `#/s/KEY/what-if/NAME,NAME` asks at once. */
export async function showWhatIf(place, { at, key, name, model, signal }) {
  const { policies, models } = await get("/api/what-if", signal);
  const asked = new Set(name === undefined ? ["balanced"] : name.split(","));
  const said = el("p", { role: "status" });
  const progress = el("progress", { max: 1, value: 0, "aria-label": "Requests that were replayed", hidden: true });
  const results = el("div");
  const boxes = policies.map(({ name: of, about }) =>
    el(
      "label",
      { className: "choice" },
      el("input", { type: "checkbox", name: "policy", value: of, checked: asked.has(of) }),
      ` ${of}: ${about}`,
    ),
  );
  const choice = el(
    "select",
    { id: "model" },
    ...models.map((id) => el("option", { value: id, selected: id === model }, id)),
  );
  const chosen = () => boxes.map((box) => box.querySelector("input")).filter((box) => box.checked);
  const form = el(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        history.replaceState(
          null,
          "",
          `#/s/${key}/what-if/${chosen()
            .map(({ value }) => value)
            .join(",")}`,
        );
        run();
      },
    },
    el("fieldset", { className: "choices" }, el("legend", {}, "Policies (six at most)"), ...boxes),
    el("p", {}, el("label", { for: "model" }, "Model "), choice),
    el("button", { type: "submit" }, "Replay"),
  );
  fill(
    place,
    el("h2", {}, "What if"),
    el(
      "p",
      {},
      "The conversation is replayed on this machine against a simulated service. Nothing is sent, and the session does not change.",
    ),
    form,
    said,
    progress,
    results,
  );

  let stream;
  const stop = () => stream?.close();
  signal.addEventListener("abort", stop);
  function run() {
    stop();
    const query = new URLSearchParams(chosen().map(({ value }) => ["policy", value]));
    query.set("model", choice.value);
    const rows = [];
    fill(results);
    said.textContent = "Starting ...";
    progress.hidden = false;
    progress.value = 0;
    const end = (text) => {
      stop();
      progress.hidden = true;
      said.textContent = text;
    };
    stream = new EventSource(`${at}/what-if?${query}`);
    stream.addEventListener("progress", ({ data }) => {
      const { policy, done, of, request, requests } = JSON.parse(data);
      progress.value = (done + request / requests) / of;
      said.textContent = `Replaying with ${policy} (${done + 1} of ${of}): ${request} of ${counted(requests, "request")} ...`;
    });
    stream.addEventListener("figures", ({ data }) => {
      const { policy, figures } = JSON.parse(data);
      rows.push([
        policy,
        dollars(figures.priceUsd),
        `${figures.cacheHitPercent.toFixed(1)}%`,
        figures.compactions,
        figures.refetches,
        `${figures.needsMetPercent.toFixed(1)}%`,
        tokens(figures.meanContextTokens),
        tokens(figures.maxContextTokens),
      ]);
      const heads = [
        "policy",
        "price",
        "cache hits",
        "compactions",
        "read again",
        "needs in view",
        "mean window",
        "largest",
      ];
      fill(results, table(heads, rows));
    });
    stream.addEventListener("failed", ({ data }) => end(JSON.parse(data).why));
    stream.addEventListener("done", () => end("Done."));
    stream.onerror = () => end("The connection was lost. Replay again.");
  }
  if (name !== undefined) run();
}
