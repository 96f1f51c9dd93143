import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { type Dispatch, type DispatchWithQueue, openDispatch } from "@palimpsest/coordination";
import { openPostgres, openPostgresDispatch, type PostgresDispatch } from "@palimpsest/postgres";
import type { StartedDatabase } from "@palimpsest/postgres/test-server";
import { createAnthropic, fetchInProcess, type Script } from "@palimpsest/provider-simulator";
import { openSession, type Session, type SessionEvent, type Store, type Tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";
import { queueScheduler } from "../queue-scheduler.ts";
import type { Scheduler, ServeOptions, Serving } from "../scheduler.ts";
import { createSessionWorker, type SessionWorker, type SessionWorkerOptions } from "../session-worker.ts";

/** What workers share: the logs of a tenant, and what they are dispatched by. */
export interface Shared {
  readonly tenant: string;
  readonly store: Store;
  readonly dispatch: Dispatch;
  /** Opens what workers are dispatched by, as one more process. */
  connect(): Promise<Scheduler>;
  close(): Promise<void>;
}

/** In a new folder. */
export async function shareFolder(): Promise<Shared> {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  const store = sqliteStore({ folder });
  const opened: DispatchWithQueue[] = [];
  const openOne = async (): Promise<DispatchWithQueue> => {
    const one = await openDispatch({ file: join(folder, "dispatch.db"), store, pollMs: 50 });
    opened.push(one);
    return one;
  };
  return {
    // All sessions of a file belong to one.
    tenant: "local",
    store,
    dispatch: await openOne(),
    async connect() {
      const { queue, schedule } = await openOne();
      return queueScheduler({ queue, schedule: () => schedule });
    },
    async close() {
      for (const one of opened) await one.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A new tenant of a database, whose sessions are run from its run queue, or by another engine. */
export async function shareDatabase(
  database: StartedDatabase,
  scheduler: (dispatch: PostgresDispatch) => Scheduler = overQueue,
): Promise<Shared> {
  const tenant = randomUUID();
  const store = openPostgres({ pool: database.workers }).store({ tenant });
  const opened: PostgresDispatch[] = [];
  const openOne = (): PostgresDispatch => {
    const one = openPostgresDispatch({ pool: database.dispatchers, pollMs: 50 });
    opened.push(one);
    return one;
  };
  return {
    tenant,
    store,
    dispatch: openOne().tenant(tenant),
    connect: async () => scheduler(openOne()),
    async close() {
      for (const one of opened) await one.close();
      await store.close();
      // Work is taken of all tenants: the next test finds none of this one.
      for (const table of ["wakeup", "reminder"])
        await database.admin.query(`DELETE FROM palimpsest.${table} WHERE tenant = $1`, [tenant]);
    },
  };
}

function overQueue({ queue, tenant }: PostgresDispatch): Scheduler {
  return queueScheduler({ queue, schedule: (name) => tenant(name).schedule });
}

export interface World extends Shared {
  /** Starts a worker, which is drained at the end. */
  start(options?: StartOptions): Promise<{ readonly worker: SessionWorker; readonly serving: Serving }>;
  /** Opens a session as somebody else, and takes it from its worker. */
  open(session: string, tools?: readonly Tool[], onEvent?: (event: SessionEvent) => void): Promise<Session>;
  /** The conversation of a session: who said what, tool results included. */
  conversation(session: string): Promise<readonly string[]>;
  readonly errors: readonly unknown[];
}

export interface StartOptions extends Partial<SessionWorkerOptions> {
  readonly tools?: readonly Tool[];
  readonly serve?: ServeOptions;
}

/** Workers whose model is played by a script through the real client. */
export function openWorld(shared: Shared, script: Script): World {
  const { store, dispatch, connect } = shared;
  const inProcess = fetchInProcess({ face: createAnthropic({ script }) });
  const client = new Anthropic({ apiKey: "none", baseURL: "http://simulator.local", maxRetries: 0, fetch: inProcess });
  const provider = anthropic(client);
  const errors: unknown[] = [];
  const started: { readonly worker: SessionWorker; readonly serving: Serving }[] = [];
  const open = (id: string, tools: readonly Tool[] = [], onEvent: (event: SessionEvent) => void = () => {}) =>
    openSession({
      store,
      id,
      provider,
      model: "claude-opus-5-5",
      tools,
      takeover: "always",
      settings: { notes: "off" },
      onEvent,
    });
  return {
    ...shared,
    open,
    errors,
    async start({ tools = [], serve = {}, ...options } = {}) {
      const worker = createSessionWorker({
        open: (target) => open(target.session, tools, options.telemetry?.onEvent(target)),
        store: () => store,
        dispatch: () => dispatch,
        onError: (error) => void errors.push(error),
        ...options,
      });
      const onError = (error: unknown): void => void errors.push(error);
      const scheduler = await connect();
      const serving = scheduler.serve(worker.run, {
        onError,
        onSetAside: worker.setAside,
        renewEveryMs: 100,
        ...serve,
      });
      const one = { worker, serving };
      started.push(one);
      return one;
    },
    async conversation(session) {
      const opened = await open(session);
      const { messages } = await opened.messages({ limit: 1_000, attachments: "with" });
      await opened.close();
      return messages.flatMap(({ role, blocks }) =>
        blocks.map((block) => {
          if (block.kind === "text") return `${role}: ${block.text}`;
          if (block.kind === "tool_call") return `call: ${block.name}`;
          if (block.kind === "tool_result") return `result: ${textOf(block.content)}`;
          return block.kind;
        }),
      );
    },
    async close() {
      for (const { serving } of started) await serving.drain({ withinMs: 0 });
      for (const { worker } of started) await worker.close();
      await shared.close();
    },
  };
}

function textOf(content: string | readonly { readonly kind: string; readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

/** More than a busy machine should need: it looks less often, too. */
const MOST_LOOKS = 6_000;

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await condition()); looks++) {
    if (looks === MOST_LOOKS) throw new Error(`Not after ${MOST_LOOKS} looks: ${condition}`);
    await wait(20);
  }
}

/** Waits until so many runs of a session have ended. */
export async function untilEnded({ dispatch }: Pick<World, "dispatch">, session: string, runs = 1): Promise<void> {
  await until(async () => {
    const page = await dispatch.events.read(session, { limit: 100_000 });
    if (page.kind !== "read") return false;
    return page.events.filter(({ event }) => (event as { kind: string }).kind === "run-ended").length >= runs;
  });
}
