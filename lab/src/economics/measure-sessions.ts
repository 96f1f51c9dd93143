import { installPeers } from "../load-peers.ts";
import type { Charges } from "./charge-run.ts";
import type { EconomicsPlan } from "./plan-jobs.ts";
import { readReports, type SessionReport } from "./read-reports.ts";
import { planSessions } from "./recorded-sessions.ts";
import { type FailedSession, replayAll } from "./replay-all.ts";

export interface Measured {
  /** Sessions that could not be replayed: they are in none of the figures. */
  readonly failed: readonly FailedSession[];
  readonly charges: Charges;
  readonly reports: readonly SessionReport[];
}

/** Replays what was not replayed before, and scores all of it. */
export async function measureSessions(names: readonly string[], plan: EconomicsPlan): Promise<Measured> {
  if (plan.libraries.length > 0) installPeers();
  const planned = planSessions(names, plan);
  const failed = await replayAll(planned);
  const replayed = planned.filter((session) => !failed.some(({ name }) => name === session.name));
  return { failed, ...readReports(replayed, plan) };
}
