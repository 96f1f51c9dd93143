import type { Settings } from "palimpsest";
import { aValueOf, checkOptions, ifGiven, integer, number, withMethods } from "palimpsest/schema";

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

/** The questions of the gates, and their thresholds. */
export interface GateOptions {
  readonly ask: GateQuestions;
  readonly nowMs: number;
  /** The setting `dream.enabled` of the session. `off`: no run is due. */
  readonly enabled: Settings["dream.enabled"];
  /**
   * The hours from the last run to the next, even if that run failed or waits for approval. After three failures in a row, seven
   * times as many. @default 24
   */
  readonly waitHours?: number;
  /** Sessions are counted at most once in so many minutes. @default 10 */
  readonly scanMinutes?: number;
  /** The number of other sessions that must have been used since the last run. @default 5 */
  readonly minSessions?: number;
}

const HOUR_MS = 3_600_000;

/** This many failures in a row are no accident: waiting an hour more does not help. */
export const BREAKER_FAILURES = 3;
/** The factor by which the wait then grows. A run that the user requests starts at once. */
const BREAKER_TIMES = 7;

/** Decides whether it is time for a run. The cheapest question comes first: most turns end at the first or the second gate. */
export async function askGates(options: GateOptions): Promise<GateAnswer> {
  const count = ifGiven(aValueOf(integer("", { minimum: 0 })));
  const waitTime = ifGiven(aValueOf(number("", { minimum: 0 })));
  checkOptions("askGates", options, {
    ask: withMethods(["earlier", "touchScan", "sessionsSince"], "the questions of the gates"),
    waitHours: waitTime,
    scanMinutes: waitTime,
    minSessions: count,
  });
  const { ask, nowMs, enabled, waitHours = 24, scanMinutes = 10, minSessions = 5 } = options;
  const closed = (gate: Gate, why: string): GateAnswer => ({ kind: "closed", gate, why });
  if (enabled === "off") return closed("enabled", "dreaming is off");
  const { lastDoneAtMs = 0, lastTriedAtMs = 0, failures } = await ask.earlier();
  const hours = Math.min(hoursSince(lastDoneAtMs, nowMs), hoursSince(lastTriedAtMs, nowMs));
  if (hours < waitHours) {
    return closed("hours", `the last run was ${hours.toFixed(1)} hours ago, and ${waitHours} hours must pass`);
  }
  if (failures >= BREAKER_FAILURES && hours < waitHours * BREAKER_TIMES) {
    const why = `the last ${failures} runs have failed, so the next waits ${waitHours * BREAKER_TIMES} hours`;
    return closed("breaker", `${why}; the last was ${hours.toFixed(1)} hours ago`);
  }
  if ((await ask.touchScan(scanMinutes * 60_000)) === "recent") {
    return closed("scan", `somebody has looked within ${scanMinutes} minutes`);
  }
  const sessions = await ask.sessionsSince(lastDoneAtMs);
  if (sessions >= minSessions) return { kind: "open" };
  return closed("sessions", `${sessions} of ${minSessions} needed sessions were used since the last run`);
}

/** If a clock was set back, a time lies in the future: treat it as long ago. */
function hoursSince(atMs: number, nowMs: number): number {
  const hours = (nowMs - atMs) / HOUR_MS;
  return hours < 0 ? Number.POSITIVE_INFINITY : hours;
}
