import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { type Dispatch, openDispatch } from "@palimpsest/coordination";
import {
  createSessionWorker,
  queueScheduler,
  type Scheduler,
  type Serving,
  type SessionTarget,
  type SessionWorker,
} from "@palimpsest/fleet";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { createAnthropic, fetchInProcess, type Script } from "@palimpsest/provider-simulator";
import { openSession, type Permission, type Session, type Store, type Tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";
import { fleetHost } from "../host/fleet-host.ts";
import type { SessionHost } from "../host/session-host.ts";

/** Where the sessions of a test are. */
export type Place = "SQLite" | "PostgreSQL";
export const PLACES: readonly Place[] = ["SQLite", "PostgreSQL"];

export interface TestFleetOptions {
  readonly tenants: readonly string[];
  readonly script: Script;
  readonly tools?: readonly Tool[];
  readonly permission?: Permission;
}

export interface TestFleet extends SessionHost {
  dispatchOf(tenant: string): Dispatch;
  storeOf(tenant: string): Store;
  close(): Promise<void>;
}

/** The session of this name fails whenever it runs. */
export const POISON = "poison";
const MODEL = "claude-opus-5-5";

interface TenantParts {
  readonly store: Store;
  readonly dispatch: Dispatch;
}

interface Parts {
  readonly tenants: ReadonlyMap<string, TenantParts>;
  readonly schedulers: readonly { readonly scheduler: Scheduler; nameOf(target: SessionTarget): string }[];
  close(): Promise<void>;
}

/** Real workers for some tenants, in this process, with a simulated model. */
export async function startFleet(place: Place, options: TestFleetOptions): Promise<TestFleet> {
  const { script, tools = [], permission, tenants } = options;
  const parts = await (place === "SQLite" ? inFolder(tenants) : inDatabase(tenants));
  const find = (name: string): TenantParts => {
    const found = parts.tenants.get(name);
    if (found === undefined) throw new Error(`There is no tenant ${name}.`);
    return found;
  };
  const fetch = fetchInProcess({ face: createAnthropic({ script }) });
  const provider = anthropic(new Anthropic({ apiKey: "none", fetch, maxRetries: 0 }));
  const open = ({ session: id }: SessionTarget, store: Store): Promise<Session> =>
    openSession({ store, id, provider, model: MODEL, tools, takeover: "always", settings: { notes: "off" } });
  const started: { readonly worker: SessionWorker; readonly serving: Serving }[] = [];
  for (const { scheduler, nameOf } of parts.schedulers) {
    const worker = createSessionWorker({
      open: (target) => open(target, find(nameOf(target)).store),
      store: (tenant) => find(nameOf({ tenant, session: "" })).store,
      dispatch: (tenant) => find(nameOf({ tenant, session: "" })).dispatch,
      turn({ id }) {
        if (id === POISON) throw new Error("poison");
        return permission === undefined ? {} : { permission };
      },
    });
    const ways = { renewEveryMs: 50, retryAfterMs: () => 20, onSetAside: worker.setAside };
    started.push({ worker, serving: scheduler.serve(worker.run, ways) });
  }
  return {
    ...fleetHost({ store: (name) => find(name).store, dispatch: (name) => find(name).dispatch, open }),
    dispatchOf: (name) => find(name).dispatch,
    storeOf: (name) => find(name).store,
    async close() {
      for (const { serving } of started) await serving.drain({ withinMs: 0 });
      for (const { worker } of started) await worker.close();
      await parts.close();
    },
  };
}

/** A folder for each tenant: all sessions of a file belong to one. */
async function inFolder(names: readonly string[]): Promise<Parts> {
  const root = await mkdtemp(join(tmpdir(), "server-"));
  const tenants = new Map<string, TenantParts>();
  const schedulers: Parts["schedulers"][number][] = [];
  const closing: { close(): Promise<void> }[] = [];
  for (const name of names) {
    const store = sqliteStore({ folder: join(root, name) });
    const dispatch = await openDispatch({ file: join(root, `${name}.db`), store, pollMs: 50 });
    tenants.set(name, { store, dispatch });
    schedulers.push({
      scheduler: queueScheduler({ queue: dispatch.queue, schedule: () => dispatch.schedule }),
      nameOf: () => name,
    });
    closing.push(dispatch, store);
  }
  return {
    tenants,
    schedulers,
    async close() {
      for (const one of closing) await one.close();
      await rm(root, { recursive: true });
    },
  };
}

async function inDatabase(names: readonly string[]): Promise<Parts> {
  const database = await startDatabase();
  const postgres = openPostgres({ pool: database.workers });
  const { tenant: of, queue, close } = openPostgresDispatch({ pool: database.dispatchers, pollMs: 50 });
  const partsOf = (tenant: string): TenantParts => ({ store: postgres.store({ tenant }), dispatch: of(tenant) });
  return {
    tenants: new Map(names.map((name) => [name, partsOf(name)])),
    schedulers: [
      {
        scheduler: queueScheduler({ queue, schedule: (name) => of(name).schedule }),
        nameOf: ({ tenant }) => tenant,
      },
    ],
    async close() {
      await close();
      await database.stop();
    },
  };
}
