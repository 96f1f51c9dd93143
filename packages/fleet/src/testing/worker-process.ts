/**
 * A worker that runs the sessions of all tenants, until it is killed or told to go (SIGTERM). Its tools leave rows behind: one that may be
 * repeated under its key, and one that must not be repeated at all. It says "ready" and "drained" to its parent.
 */
import { setTimeout as wait } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { openSession, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import pg from "pg";
import { queueScheduler } from "../queue-scheduler.ts";
import { restateScheduler } from "../restate/restate-scheduler.ts";
import { createSessionWorker } from "../session-worker.ts";

const { PGHOST: host = "", MODEL_URL: baseURL = "", RESTATE_URL: ingressUrl, PORT } = process.env;
const pool = new pg.Pool({ host, user: "dispatcher", database: "postgres", max: 8 });
const postgres = openPostgres({ pool });
const dispatch = openPostgresDispatch({ pool, silentAfterMs: 1_500, pollMs: 50, maxAttempts: 50 });
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL, maxRetries: 0 }));
const pause = (): Promise<void> => wait(Math.random() * 120);

const tools = (["act", "pay"] as const).map((name) =>
  tool({
    name,
    description: name === "act" ? "Does something, once for each key." : "Pays: a second time would be wrong.",
    inputSchema: { type: "object" },
    repeat: name === "act" ? "by-key" : "never",
    concurrency: "safe",
    async execute(_, { key }) {
      await pause();
      await pool.query("INSERT INTO effect (tool, key, worker) VALUES ($1, $2, $3)", [name, key, process.pid]);
      await pause();
      return `${name}: done`;
    },
  }),
);

const worker = createSessionWorker({
  open: ({ tenant, session: id }) =>
    openSession({
      store: postgres.store({ tenant }),
      id,
      provider,
      model: "claude-opus-5-5",
      tools,
      takeover: "always",
      settings: { notes: "off" },
    }),
  store: (tenant) => postgres.store({ tenant }),
  dispatch: dispatch.tenant,
});
const ports = { queue: dispatch.queue, schedule: (tenant: string) => dispatch.tenant(tenant).schedule };
const listen = { host: "127.0.0.1", port: Number(PORT), reusePort: true };
const scheduler = ingressUrl === undefined ? queueScheduler(ports) : restateScheduler({ ...ports, ingressUrl, listen });
const serving = scheduler.serve(worker.run, {
  renewEveryMs: 300,
  retryAfterMs: () => 100,
  onSetAside: worker.setAside,
  onError: (error) => process.send?.({ error: String(error) }),
});
process.once("SIGTERM", async () => {
  await serving.drain({ withinMs: 2_000 });
  await worker.close();
  await dispatch.close();
  await pool.end();
  process.send?.("drained");
  process.disconnect();
});
process.send?.("ready");
