/** The parts of an analysis in words, and its numbers for people. */

import type { BreakCause, PartTotals, RecordedBreak } from "./analysis.ts";

/** The name of a part of the context window. */
export function partName({ kind, tool }: Pick<PartTotals, "kind" | "tool">): string {
  switch (kind) {
    case "fixed":
      return "system prompt and tools";
    case "user":
      return "the user";
    case "agent":
      return "added by the agent";
    case "summary":
      return "summaries";
    case "assistant":
      return "the model's answers";
    case "thinking":
      return "the model's thinking";
    case "calls":
      return "tool calls";
    case "results":
      return `results of ${tool}`;
  }
}

/** The causes of cache misses, in a few words. */
export const CAUSES: Readonly<Record<BreakCause, string>> = {
  model: "another model",
  tools: "other tools",
  system: "another system prompt",
  parameters: "other request parameters",
  pause: "cache expired",
  compaction: "a compaction",
  rewind: "a rewind",
  clearing: "tool results cleared",
  edited: "the prompt was cut",
  "look-back": "too much added at once",
  unknown: "unknown",
};

/** Describes one cache miss, with the numbers that explain it. */
export function breakText({ causes, pauseMs, lifetimeMs, from }: RecordedBreak): string {
  const words = causes.map((cause) =>
    cause === "pause" ? `cache expired (idle ${duration(pauseMs)}, kept for ${duration(lifetimeMs)})` : CAUSES[cause],
  );
  // Without a known cause, at least the place of the difference is shown.
  const where = from === "front" ? "from the start of the prompt" : "within the conversation";
  return causes[0] === "unknown" ? `${words.join(", ")}cause, ${where}` : words.join(", ");
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`;
}

/** Shows a count with three digits: 950, 12.3K, 9.54M. */
export function tokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  const [value, unit] =
    count < 999_500 ? [count / 1_000, "K"] : count < 999.5e6 ? [count / 1e6, "M"] : [count / 1e9, "B"];
  return `${value >= 99.95 ? Math.round(value) : Number(value.toPrecision(3))}${unit}`;
}

/** Shows dollars to the cent; amounts below one dollar get more digits. */
export function dollars(usd: number): string {
  if (usd >= 1 || usd === 0) return `$${usd.toFixed(2)}`;
  return usd < 0.00005 ? "<$0.0001" : `$${usd.toFixed(usd < 0.01 ? 4 : 3)}`;
}

/** A share in percent, as text. */
export function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (100 * part) / whole;
  return share > 0 && share < 0.5 ? "<1%" : `${Math.round(share)}%`;
}

/** `1 file`, `2 files`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
}

/** Cuts the start of a long path, since its end says more. */
export function pathEnd(path: string, mostCharacters: number): string {
  return path.length <= mostCharacters ? path : `…${path.slice(1 - mostCharacters)}`;
}
