import type { Settings } from "../settings/settings.ts";

/** What the gates ask. Each is asked only if those before it are open, so the costly ones are hardly ever. */
export interface GateQuestions {
  /** When memory was last gone over, by a wall clock; undefined if never. */
  lastDoneAtMs(): Promise<number | undefined>;
  /** Writes down that somebody looks now, unless somebody did within that time. */
  touchScan(everyMs: number): Promise<"touched" | "recent">;
  /** How many other sessions were used since then. */
  sessionsSince(atMs: number): Promise<number>;
}

export type Gate = "enabled" | "hours" | "scan" | "sessions";

/** `open`, or the first gate that is closed. */
export type GateAnswer =
  | { readonly kind: "open" }
  | { readonly kind: "closed"; readonly gate: Gate; readonly why: string };

export type GateSettings = Pick<Settings, "dream.enabled" | "dream.hours" | "dream.scanMinutes" | "dream.sessions">;

const HOUR_MS = 3_600_000;

/** Whether it is time to go over memory. The cheapest question first: most turns end at the first or the second gate. */
export async function askGates(settings: GateSettings, nowMs: number, ask: GateQuestions): Promise<GateAnswer> {
  const closed = (gate: Gate, why: string): GateAnswer => ({ kind: "closed", gate, why });
  if (settings["dream.enabled"] === "off") return closed("enabled", "dreaming is off");
  const lastMs = (await ask.lastDoneAtMs()) ?? 0;
  const hours = (nowMs - lastMs) / HOUR_MS;
  // A clock that was set back says that the last time is yet to come: then it is not known, and it is time.
  if (hours >= 0 && hours < settings["dream.hours"]) {
    return closed("hours", `the last time was ${hours.toFixed(1)} hours ago, and is to be ${settings["dream.hours"]}`);
  }
  if ((await ask.touchScan(settings["dream.scanMinutes"] * 60_000)) === "recent") {
    return closed("scan", `somebody has looked within ${settings["dream.scanMinutes"]} minutes`);
  }
  const sessions = await ask.sessionsSince(lastMs);
  if (sessions >= settings["dream.sessions"]) return { kind: "open" };
  return closed("sessions", `${sessions} sessions were used since, and ${settings["dream.sessions"]} are needed`);
}
