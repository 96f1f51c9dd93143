import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Dispatch } from "@palimpsest/coordination";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import type { Store } from "palimpsest";
import { mount, unmount } from "../mount.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { bundleWorker } from "./bundle-worker.ts";
import { DRIVERS, type DriverName, type StartedEngine } from "./driver.ts";
import { insist } from "./insist.ts";
import { type Effects, startEffects } from "./start-effects.ts";
import { type SimulatedModel, startModel } from "./start-model.ts";
import { type FleetWorker, startWorker } from "./start-worker.ts";
import type { WorkerPlan } from "./worker-plan.ts";

/** Everything that is beside the workers: the database, the engine, the provider, the process that counts effects. */
export interface Place {
  readonly driver: DriverName;
  readonly database: StartedDatabase;
  /** Where the database has its files, if it has a disk of its own. */
  readonly disk: string | undefined;
  readonly started: StartedEngine;
  readonly model: SimulatedModel;
  readonly effects: Effects;
  readonly dispatch: Dispatch;
  readonly store: Store;
  /** Starts a worker process, which is killed at the end. */
  start(plan?: Partial<WorkerPlan>): FleetWorker;
  /** Sessions that run or are to run, as the database says. */
  busy(): Promise<readonly { readonly session: string; readonly state: string }[]>;
}

const TENANT = "chaos";
/** So that the write-ahead log leaves room on a small disk. */
const SMALL = { min_wal_size: "32MB", max_wal_size: "64MB" };

export interface PlaceOptions {
  readonly driver: DriverName;
  /** Of all workers, unless `start` says something else. */
  readonly plan?: Partial<WorkerPlan>;
  /** The database has a disk of its own, of this size. @default it shares that of the system */
  readonly diskBytes?: number;
}

/** Runs with a place of its own, which is gone afterwards. */
export function inPlace<T>(
  { driver, plan = {}, diskBytes }: PlaceOptions,
  run: (place: Place) => Promise<T>,
): Promise<T> {
  return inTemporaryFolder(async (folder) => {
    const disk = diskBytes === undefined ? undefined : await mountDisk(join(folder, "disk"), diskBytes);
    const database = await startDatabase({
      fsync: "on",
      ...(disk === undefined ? {} : { within: disk, settings: SMALL }),
    });
    const started = await DRIVERS[driver].start();
    const [model, effects] = await Promise.all([startModel(), startEffects(join(folder, "effects.jsonl"))]);
    const dispatching = openPostgresDispatch({ pool: database.dispatchers });
    const program = await bundleWorker(folder);
    const workers: FleetWorker[] = [];
    const basis: WorkerPlan = {
      driver,
      engine: started.engine,
      database: { host: database.host },
      modelUrl: model.url,
      effectsUrl: effects.url,
      ...plan,
    };
    try {
      return await run({
        driver,
        database,
        disk,
        started,
        model,
        effects,
        dispatch: dispatching.tenant(TENANT),
        store: openPostgres({ pool: database.workers }).store({ tenant: TENANT }),
        start(changes = {}) {
          const worker = startWorker(program, { ...basis, ...changes });
          const isFirst = workers.push(worker) === 1;
          if (isFirst) void worker.ready.then(() => insist(async () => started.workersListen?.()));
          return worker;
        },
        async busy() {
          const { rows } = await insist(() => database.admin.query("SELECT session, state FROM palimpsest.wakeup"));
          return rows;
        },
      });
    } finally {
      for (const worker of workers) worker.signal("SIGKILL");
      await Promise.all(workers.map(({ gone }) => gone));
      await dispatching.close();
      await model.close();
      effects.stop();
      await started.stop();
      await database.stop();
      if (disk !== undefined) unmount(disk);
    }
  });
}

async function mountDisk(folder: string, bytes: number): Promise<string> {
  await mkdir(folder);
  mount("-t", "tmpfs", "-o", `size=${bytes},mode=755`, "tmpfs", folder);
  // The database is another user, who must reach it.
  await chmod(dirname(folder), 0o755);
  return folder;
}
