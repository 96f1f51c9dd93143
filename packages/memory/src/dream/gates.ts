import type { Settings } from "palimpsest";

/** What was done and tried before, as a lease keeps it; times are those of a wall clock. */
export interface EarlierRuns {
  /** When memory was last gone over; undefined if never. */
  readonly lastDoneAtMs?: number;
  /** When that was last tried, whatever came of it. */
  readonly lastTriedAtMs?: number;
  /** How many tries in a row have failed. */
  readonly failures: number;
}

/** What the gates ask. Each is asked only if those before it are open, so the costly ones are hardly ever. */
export interface GateQuestions {
  earlier(): Promise<EarlierRuns>;
  /** Writes down that somebody looks now, unless somebody did within that time. */
  touchScan(everyMs: number): Promise<"touched" | "recent">;
  /** How many other sessions were used since then. */
  sessionsSince(atMs: number): Promise<number>;
}

export type Gate = "enabled" | "hours" | "breaker" | "scan" | "sessions";

/** `open`, or the first gate that is closed. */
export type GateAnswer =
  | { readonly kind: "open" }
  | { readonly kind: "closed"; readonly gate: Gate; readonly why: string };

export type GateSettings = Pick<Settings, "dream.enabled" | "dream.hours" | "dream.scanMinutes" | "dream.sessions">;

const HOUR_MS = 3_600_000;

/** So many failures in a row are no accident: whatever it is, an hour more does not mend it. */
export const BREAKER_FAILURES = 3;
/** Then it waits so many times as long. A run that somebody asks for is tried at once. */
const BREAKER_TIMES = 7;

/** Whether it is time to go over memory. The cheapest question first: most turns end at the first or the second gate. */
export async function askGates(settings: GateSettings, nowMs: number, ask: GateQuestions): Promise<GateAnswer> {
  const closed = (gate: Gate, why: string): GateAnswer => ({ kind: "closed", gate, why });
  if (settings["dream.enabled"] === "off") return closed("enabled", "dreaming is off");
  const { lastDoneAtMs = 0, lastTriedAtMs = 0, failures } = await ask.earlier();
  const hours = Math.min(hoursSince(lastDoneAtMs, nowMs), hoursSince(lastTriedAtMs, nowMs));
  const waitHours = settings["dream.hours"];
  if (hours < waitHours) {
    return closed("hours", `the last time was ${hours.toFixed(1)} hours ago, and is to be ${waitHours}`);
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
  return closed("sessions", `${sessions} sessions were used since, and ${settings["dream.sessions"]} are needed`);
}

/** A clock that was set back says that a time is yet to come: then it is not known, and it was long ago. */
function hoursSince(atMs: number, nowMs: number): number {
  const hours = (nowMs - atMs) / HOUR_MS;
  return hours < 0 ? Number.POSITIVE_INFINITY : hours;
}
