import { cleanText } from "../../text/clean-text.ts";
import { type Line, type Look, plain, type Span } from "../../text/line.ts";
import { usd } from "../../text/table.ts";
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
  const tasks = [...Map.groupBy(background, ({ shownBy }) => shownBy)].map(
    ([shownBy, alike]) => `${alike.map(({ what }) => cleanText(what).replaceAll("\n", " ")).join(", ")} (${shownBy})`,
  );
  const beside =
    tasks.length === 0 ? [] : [cutLine(plain(`in the background: ${tasks.join(" · ")}`, { color: "quiet" }), columns)];
  if (armed !== undefined) return [plain(ARMED[armed], { color: "warning" }), ...beside];
  return status === undefined ? beside : [statusLine(status, state.nowMs, columns), ...beside];
}

const ARMED: Readonly<Record<NonNullable<ScreenState["armed"]>, string>> = {
  escape: "Press Esc again to go back to an earlier message (or to empty the prompt).",
  interrupt: "Press Ctrl-C again to exit.",
};

function statusLine(status: Status, nowMs: number, columns: number): Line {
  const { percentLeft, level, tokens, compaction, priceUsd, price, mode, model } = status;
  const left = compaction.policy === "off" ? `${percentLeft}% left` : `${percentLeft}% to compaction`;
  const room = level === "blocked" ? " FULL: /compact " : left;
  const most = compaction.policy === "off" ? "" : ` of ${count(compaction.atTokens)}`;
  const parts: readonly Span[] = [
    { text: room, ...LEVELS[level] },
    { text: `${price === "estimated" ? "~" : ""}${usd(priceUsd)}` },
    cacheSpan(status, nowMs),
    { text: mode, ...(mode === "default" || mode === "auto" ? {} : { color: "warning" as const }) },
    { text: model },
    { text: `${count(tokens)}${most} tokens`, color: "quiet" },
    { text: `profile ${compaction.profile}`, color: "quiet" },
  ];
  // Narrow screens show only the first parts.
  let line: Line = [];
  for (const part of parts) {
    const longer: Line = line.length === 0 ? [part] : [...line, { text: " · ", color: "quiet" }, part];
    if (lineWidth(longer) > columns) break;
    line = longer;
  }
  return line;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

function cacheSpan({ cache, coldAtMs }: Status, nowMs: number): Span {
  if (cache === "new" || coldAtMs === undefined) return { text: "cache empty", color: "quiet" };
  const leftSeconds = Math.ceil((coldAtMs - nowMs) / 1_000);
  if (leftSeconds <= 0) return { text: "cache cold", color: "tool" };
  const clock = `${Math.floor(leftSeconds / 60)}:${String(leftSeconds % 60).padStart(2, "0")}`;
  return {
    text: `cache warm ${clock}`,
    ...(leftSeconds < 60 ? { color: "warning" as const } : { color: "good" as const }),
  };
}
