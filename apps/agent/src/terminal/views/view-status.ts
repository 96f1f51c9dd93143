import { type Line, type Look, plain, type Span } from "../../text/line.ts";
import { cleanText } from "../../text/visible-text.ts";
import { cutLine, lineWidth } from "../../text/width.ts";
import type { ScreenState, Status } from "../state.ts";

const LEVELS: Readonly<Record<Status["level"], Look>> = {
  ok: { color: "good" },
  warning: { color: "warning" },
  error: { color: "bad" },
  blocked: { color: "bad", weight: "bold", mark: "inverse" },
};

/** The status line: free context, cost, cache, permission mode and model; above it the background tasks. */
export function viewStatus(state: ScreenState): readonly Line[] {
  const { status, armed, columns, background } = state;
  const line = besideLine(background);
  const beside = line.length === 0 ? [] : [cutLine(line, columns)];
  if (armed !== undefined) return [plain(ARMED[armed], { color: "warning" }), ...beside];
  return status === undefined ? beside : [statusLine(status, state.nowMs, columns), ...beside];
}

/** What waits for the user stands first: a narrow screen cuts the end. */
function besideLine(background: ScreenState["background"]): Line {
  const waits = background.filter(({ state }) => state === "waits");
  const runs = background.filter(({ state = "runs" }) => state === "runs");
  return [
    ...(waits.length === 0 ? [] : plain(tasksText(waits), { color: "warning" })),
    ...(waits.length === 0 || runs.length === 0 ? [] : plain(" · ", { color: "quiet" })),
    ...(runs.length === 0 ? [] : plain(`in the background: ${tasksText(runs)}`, { color: "quiet" })),
  ];
}

function tasksText(tasks: ScreenState["background"]): string {
  return [...Map.groupBy(tasks, ({ shownBy }) => shownBy)]
    .map(([shownBy, alike]) => {
      const words = alike.map(({ what }) => cleanText(what).replaceAll("\n", " ")).join(", ");
      return `${words} (${shownBy})`;
    })
    .join(" · ");
}

const ARMED: Readonly<Record<NonNullable<ScreenState["armed"]>, string>> = {
  escape: "Press Esc again to go back to an earlier message (or to empty the prompt).",
  interrupt: "Press Ctrl-C again to exit.",
};

function statusLine(status: Status, nowMs: number, columns: number): Line {
  const { percentLeft, level, tokens, compaction, price, mode } = status;
  const left = compaction.kind === "off" ? `${percentLeft}% left` : `${percentLeft}% to compaction`;
  const room = level === "blocked" ? " FULL: /compact " : left;
  const most = compaction.kind === "off" ? "" : ` of ${count(compaction.atTokens)}`;
  const parts: readonly (Span | readonly Span[])[] = [
    { text: room, ...LEVELS[level] },
    { text: price },
    cacheSpan(status, nowMs),
    { text: mode, ...(mode === "default" || mode === "auto" ? {} : { color: "warning" as const }) },
    modelNames(status).map((text) => ({ text })),
    { text: `${count(tokens)}${most} tokens`, color: "quiet" },
    { text: compaction.policy, color: "quiet" },
  ];
  // Narrow screens show only the first parts.
  let line: Line = [];
  for (const part of parts) {
    const longer = [part]
      .flat()
      .map((span): Line => (line.length === 0 ? [span] : [...line, { text: " · ", color: "quiet" }, span]))
      .find((one) => lineWidth(one) <= columns);
    if (longer === undefined) break;
    line = longer;
  }
  return line;
}

/** The model with its effort; for narrow screens, without the maker's name. */
function modelNames({ model, effort }: Status): readonly string[] {
  const beside = effort === undefined ? "" : ` ${effort}`;
  return [`${model}${beside}`, `${model.replace(/^(?:[\w.]*\.)?(?:claude|anthropic)[-.]/, "")}${beside}`];
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

/** A smaller part of the prompt than this is not called a warm cache: after an undo, for example. */
const MOSTLY_CACHED = 0.5;

function cacheSpan({ cache, coldAtMs, cachedPart }: Status, nowMs: number): Span {
  const percent = Math.round(100 * cachedPart);
  if (cache === "new" || coldAtMs === undefined || percent === 0) return { text: "cache empty", color: "quiet" };
  const leftSeconds = Math.ceil((coldAtMs - nowMs) / 1_000);
  if (leftSeconds <= 0) return { text: "cache cold", color: "tool" };
  const clock = `${Math.floor(leftSeconds / 60)}:${String(leftSeconds % 60).padStart(2, "0")}`;
  if (cachedPart < MOSTLY_CACHED) return { text: `cache ${percent}% ${clock}`, color: "warning" };
  return {
    text: `cache warm ${clock}`,
    ...(leftSeconds < 60 ? { color: "warning" as const } : { color: "good" as const }),
  };
}
