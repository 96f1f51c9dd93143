import type { Settings } from "palimpsest";

/** The history of runs, as a lease stores it; times are from a wall clock. */
export interface EarlierRuns {
  /** When the memory was last tidied; undefined if never. */
  readonly lastDoneAtMs?: number;
  /** The time of the last attempt, whatever its outcome. */
  readonly lastTriedAtMs?: number;
  /** The number of failed attempts in a row. */
  readonly failures: number;
}

/** The questions of the gates. Each is asked only if the gates before it are open, so the expensive ones are rare. */
export interface GateQuestions {
  earlier(): Promise<EarlierRuns>;
  /** Records that a check happens now, unless one happened within that time. */
  touchScan(everyMs: number): Promise<"touched" | "recent">;
  /** The number of other sessions used since then. */
  sessionsSince(atMs: number): Promise<number>;
}

/** A condition that must hold before a dream starts. */
export type Gate = "enabled" | "hours" | "breaker" | "scan" | "sessions";

/** `open`, or the first gate that is closed. */
export type GateAnswer =
  | { readonly kind: "open" }
  | { readonly kind: "closed"; readonly gate: Gate; readonly why: string };

/** The settings that the conditions read. */
export type GateSettings = Pick<Settings, "dream.enabled" | "dream.hours" | "dream.scanMinutes" | "dream.sessions">;

const HOUR_MS = 3_600_000;

/** This many failures in a row are no accident: waiting an hour more does not help. */
export const BREAKER_FAILURES = 3;
/** The factor by which the wait then grows. A run that the user requests starts at once. */
const BREAKER_TIMES = 7;

/** Decides whether it is time for a run. The cheapest question comes first: most turns end at the first or the second gate. */
export async function askGates(settings: GateSettings, nowMs: number, ask: GateQuestions): Promise<GateAnswer> {
  const closed = (gate: Gate, why: string): GateAnswer => ({ kind: "closed", gate, why });
  if (settings["dream.enabled"] === "off") return closed("enabled", "dreaming is off");
  const { lastDoneAtMs = 0, lastTriedAtMs = 0, failures } = await ask.earlier();
  const hours = Math.min(hoursSince(lastDoneAtMs, nowMs), hoursSince(lastTriedAtMs, nowMs));
  const waitHours = settings["dream.hours"];
  if (hours < waitHours) {
    return closed("hours", `the last run was ${hours.toFixed(1)} hours ago, and ${waitHours} hours must pass`);
  }
  if (failures >= BREAKER_FAILURES && hours < waitHours * BREAKER_TIMES) {
    const why = `the last ${failures} runs have failed, so the next waits ${waitHours * BREAKER_TIMES} hours`;
    return closed("breaker", `${why}; the last was ${hours.toFixed(1)} hours ago`);
  }
  if ((await ask.touchScan(settings["dream.scanMinutes"] * 60_000)) === "recent") {
    return closed("scan", `somebody has looked within ${settings["dream.scanMinutes"]} minutes`);
  }
  const sessions = await ask.sessionsSince(lastDoneAtMs);
  if (sessions >= settings["dream.sessions"]) return { kind: "open" };
  return closed(
    "sessions",
    `${sessions} of ${settings["dream.sessions"]} needed sessions were used since the last run`,
  );
}

/** If a clock was set back, a time lies in the future: treat it as long ago. */
function hoursSince(atMs: number, nowMs: number): number {
  const hours = (nowMs - atMs) / HOUR_MS;
  return hours < 0 ? Number.POSITIVE_INFINITY : hours;
}
