import { setTimeout as wait } from "node:timers/promises";
import { percentile, round } from "../../statistics.ts";
import { type Audited, audit } from "./audit.ts";
import { PHASES, type Phase } from "./phases.ts";
import type { Place } from "./place.ts";
import type { FleetWorker } from "./start-worker.ts";
import { startTraffic, type TrafficOptions } from "./traffic.ts";

export interface StormOptions {
  readonly workers: number;
  /** In each phase. */
  readonly killsInPhase: number;
  readonly phases?: readonly Phase[];
  /** At any moment. */
  readonly killsAtRandom: number;
  readonly databaseKills: number;
  readonly engineKills: number;
  /** On average. A worker that is needed in a phase may have to be waited for; kills that are late by then follow at once. */
  readonly killEveryMs: number;
  /** At least so many turns. */
  readonly turns: number;
  readonly traffic: TrafficOptions;
  /** What is not over by then is stuck. */
  readonly restWithinMs: number;
  readonly say: (text: string) => void;
}

export interface Storm extends Audited {
  /** By the phase that the worker stood in. */
  readonly kills: Readonly<Record<string, number>>;
  readonly databaseKills: number;
  readonly engineKills: number;
  /** From the kill of a worker to the next entry in the log of the session that stood in the phase: the phase and seconds of each. */
  readonly resumed: readonly { readonly phase: Phase; readonly seconds: number }[];
  readonly victims: readonly Victim[];
  readonly setAside: readonly string[];
  readonly errors: readonly string[];
}

/** The session that stood in the phase in which its worker was killed. */
interface Victim {
  readonly phase: Phase;
  readonly session: string;
  readonly atMs: number;
}

/** Nobody comes to this phase for so long: then it is tried again with another worker, some times. */
const TRAP_WITHIN_MS = 15_000;
const TRAPS = 4;

/** Kills workers in each phase and servers, while sessions are spoken to; then looks what has become of all that was said. */
export async function storm(place: Place, options: StormOptions): Promise<Storm> {
  const { killsInPhase, killsAtRandom, databaseKills, engineKills, phases = PHASES, traffic, say } = options;
  const { database, started, start, dispatch } = place;
  let workers = Array.from({ length: options.workers }, () => start());
  const all = [...workers];
  await Promise.all(workers.map(({ ready }) => ready));
  const speaking = startTraffic(place, traffic);
  const kills: Record<string, number> = {};
  const victims: Victim[] = [];
  const counts = { database: 0, engine: 0 };

  /** Only a process that the system says was killed counts. */
  async function kill(worker: FleetWorker, name: string): Promise<void> {
    worker.signal("SIGKILL");
    if ((await worker.gone) === "SIGKILL") kills[name] = (kills[name] ?? 0) + 1;
    const next = start();
    all.push(next);
    workers = [...workers.filter((one) => one !== worker), next];
  }

  /** In whichever worker comes to the phase first: an engine may send everything to one of them. */
  async function killIn(phase: Phase): Promise<void> {
    for (let trap = 0; trap < TRAPS; trap++) {
      const ready = await readyOf(() => workers);
      const skip = (kills[phase] ?? 0) % 2;
      const except = victims.map(({ session }) => session);
      const trapped = await Promise.race([
        ...ready.map(async (worker) => ({ worker, ...(await worker.trap({ phase, skip, except })) })),
        wait(TRAP_WITHIN_MS, undefined),
      ]);
      for (const worker of ready) if (worker !== trapped?.worker) worker.release();
      if (trapped?.session === undefined) continue;
      const atMs = Date.now();
      await kill(trapped.worker, phase);
      victims.push({ phase, session: trapped.session, atMs });
      return;
    }
  }

  let dueMs = Date.now();
  const events = planOf({ killsInPhase, phases, killsAtRandom, databaseKills, engineKills });
  for (const [index, event] of events.entries()) {
    if (index % 20 === 0) say(`${index} of ${events.length} kills, ${speaking.jobs.length} turns begun ...`);
    dueMs += Math.random() * 2 * options.killEveryMs;
    await wait(Math.max(0, dueMs - Date.now()));
    if (event === "database") {
      await database.crash();
      counts.database++;
    } else if (event === "engine") {
      await started.crash?.();
      counts.engine++;
    } else if (event === "at random") {
      const ready = await readyOf(() => workers);
      await kill(ready[Math.floor(Math.random() * ready.length)]!, event);
    } else await killIn(event);
  }
  while (speaking.jobs.length < options.turns) await wait(200);
  say(`waiting for ${speaking.jobs.length} turns to end ...`);
  const rest = await speaking.finish(options.restWithinMs);
  if (rest === "not at rest") say(`after ${options.restWithinMs / 1_000} s: ${JSON.stringify(await place.busy())}`);
  const audited = await audit(place, speaking.jobs);
  const resumed = victims.flatMap(({ phase, session, atMs }) => {
    const next = audited.logs.get(session)?.find((entry) => entry.atMs > atMs);
    return next === undefined ? [] : [{ phase, seconds: (next.atMs - atMs) / 1_000 }];
  });
  return {
    ...audited,
    kills,
    databaseKills: counts.database,
    engineKills: counts.engine,
    resumed,
    victims,
    setAside: (await dispatch.schedule.listSetAside()).sessions.map(
      ({ session, attempts, failure }) => `${session} after ${attempts} attempts: ${failure ?? "its workers died"}`,
    ),
    errors: all.flatMap(({ errors }) => errors),
  };
}

/** One goes on with the work while another is killed. */
async function readyOf(workers: () => readonly FleetWorker[]): Promise<readonly FleetWorker[]> {
  for (;;) {
    const ready = workers().filter(({ state }) => state === "ready");
    if (ready.length > 1) return ready;
    await wait(20);
  }
}

type Event = Phase | "at random" | "database" | "engine";

/** All kills, mixed. */
function planOf(
  options: Pick<StormOptions, "killsInPhase" | "killsAtRandom" | "databaseKills" | "engineKills"> & {
    readonly phases: readonly Phase[];
  },
): readonly Event[] {
  const times = <T>(count: number, event: T): readonly T[] => Array.from({ length: count }, () => event);
  const events: readonly Event[] = [
    ...options.phases.flatMap((phase) => times(options.killsInPhase, phase)),
    ...times(options.killsAtRandom, "at random" as const),
    ...times(options.databaseKills, "database" as const),
    ...times(options.engineKills, "engine" as const),
  ];
  return events
    .map((event) => ({ event, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ event }) => event);
}

/** As the command prints them. */
export function figuresOf(stormed: Storm): Readonly<Record<string, unknown>> {
  const { kills, resumed } = stormed;
  const seconds = resumed.map((one) => one.seconds);
  return {
    turns: stormed.turns,
    worker_kills: Object.values(kills).reduce((sum, count) => sum + count, 0),
    engine_kills: stormed.engineKills,
    database_kills: stormed.databaseKills,
    lost: stormed.lost.length,
    refused_requests: stormed.refused.length,
    effects_twice: stormed.twice.length,
    unknown_told: stormed.unknownTold,
    stuck: stormed.stuck.length,
    resume_p95_s: seconds.length === 0 ? 0 : round(percentile(seconds, 95)),
    resume_p50_s: seconds.length === 0 ? 0 : round(percentile(seconds, 50)),
    resume_slowest: resumed.toSorted((one, other) => other.seconds - one.seconds).slice(0, 5),
    kills,
    set_aside: stormed.setAside.length,
  };
}
