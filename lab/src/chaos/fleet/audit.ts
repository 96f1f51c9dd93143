import type { Entry } from "palimpsest/store-parts";
import { type AuditedSession, auditSession } from "./audit-session.ts";
import { insist } from "./insist.ts";
import type { Job } from "./job.ts";
import type { Place } from "./place.ts";

export interface Audited {
  readonly turns: number;
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly stuck: readonly string[];
  readonly refused: readonly string[];
  /** Calls whose outcome is unknown and of which the model was told: the log says so, and the provider has seen it. */
  readonly unknownTold: number;
  readonly logs: ReadonlyMap<string, readonly Entry[]>;
}

/** Reads all logs and all effects, and holds them against what was said and against what the provider has seen. */
export async function audit({ store, effects, model }: Place, jobs: readonly Job[]): Promise<Audited> {
  const bySession = Map.groupBy(jobs, ({ session }) => session);
  const logs = new Map<string, readonly Entry[]>();
  for (const session of bySession.keys()) logs.set(session, await insist(() => readLog(store, session)));
  // Behind the logs: what is in them has taken effect before.
  const effectsBy = Map.groupBy(effects.read(), ({ mark }) => mark.slice(0, mark.lastIndexOf(".")));
  const audited = [...bySession].map(
    ([session, own]): AuditedSession =>
      auditSession({ session, jobs: own, entries: logs.get(session)!, effects: effectsBy.get(session) ?? [] }),
  );
  const unknown = audited.flatMap(({ unknownCalls }) => unknownCalls);
  const untold = unknown.filter((call) => !model.unknownCalls.has(call));
  const stuck = audited.flatMap((one) => one.stuck);
  return {
    turns: jobs.length - stuck.length,
    lost: [...audited.flatMap((one) => one.lost), ...untold.map((call) => `${call} is unknown, and nobody was told`)],
    twice: audited.flatMap((one) => one.twice),
    stuck,
    refused: model.refused,
    unknownTold: unknown.length - untold.length,
    logs,
  };
}

async function readLog(store: Place["store"], session: string): Promise<readonly Entry[]> {
  const reader = await store.openReader(session);
  const entries = (await reader?.read(1, Number.MAX_SAFE_INTEGER)) ?? [];
  await reader?.close();
  return entries;
}
