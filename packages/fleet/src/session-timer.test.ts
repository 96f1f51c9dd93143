import type { Reminder } from "@palimpsest/coordination";
import { expect, test } from "vitest";
import { dueTimers, type SessionTimer, setTimers } from "./session-timer.ts";

const timer = (key: string, afterMs: number): SessionTimer => ({ key, afterMs, run: async () => undefined });

test("timers are reminders that know since when the session is silent", async () => {
  const set: Reminder[] = [];
  const schedule = { remind: async (_: string, reminder: Reminder) => void set.push(reminder) };
  const timers = [timer("warm", 240_000), timer("retention", 86_400_000)];
  const activeAtMs = Date.parse("2026-11-16T12:00:00.123Z");
  await setTimers(timers, { session: "s", newestEntry: 12, activeAtMs }, schedule);
  const reason = "silent since 2026-11-16T12:00:00.123Z";
  expect(set).toEqual([
    { key: "timer warm", dueAtMs: activeAtMs + 240_000, reason, unlessPastEntry: 12 },
    { key: "timer retention", dueAtMs: activeAtMs + 86_400_000, reason, unlessPastEntry: 12 },
  ]);
  const other = { key: "approval c1", reason: "a question to a person expired", dueAtMs: 0 };
  expect(dueTimers(timers, { reminders: [other, set[0]!] })).toEqual([{ timer: timers[0], activeAtMs }]);
});
