/** A time zone in which it is about noon, so that no day ends while a test runs: the model is told which day it is. */
export function noonZone(nowMs: number = Date.now()): string {
  const aheadHours = 12 - new Date(nowMs).getUTCHours();
  // By POSIX, Etc/GMT-5 is five hours ahead.
  return `Etc/GMT${aheadHours < 0 ? "+" : "-"}${Math.abs(aheadHours)}`;
}
