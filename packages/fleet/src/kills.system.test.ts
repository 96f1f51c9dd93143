import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  type Script,
  type SimulatorServer,
  serve,
} from "@palimpsest/provider-simulator";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { freePorts, type StartedRestate, startRestate } from "./restate/start-restate.ts";
import { say } from "./session-input.ts";
import { until } from "./testing/open-world.ts";

const [ROUNDS, KILLS, SESSIONS_FOR_EACH] = [3, 3, 6];
let database: StartedDatabase;
let model: SimulatorServer;
let restate: StartedRestate;
let port: number;
const children = new Set<ChildProcess>();

/** Some rounds with both tools, then an answer. */
const script: Script = ({ request }) => {
  const messages = request["messages"] as readonly { readonly role: string }[];
  const rounds = messages.filter(({ role }) => role === "assistant").length;
  return rounds < ROUNDS ? callTools(callTool("act", { rounds }), callTool("pay", { rounds })) : answer("All done.");
};

beforeAll(async () => {
  [database, restate, [port = 0]] = await Promise.all([startDatabase(), startRestate(), freePorts(1)]);
  await database.admin.query(
    "CREATE TABLE effect (tool text, key text, worker integer); GRANT INSERT ON effect TO dispatcher",
  );
  model = await serve({ faces: [createAnthropic({ script })] });
});

afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});

afterAll(async () => {
  await model.close();
  await restate.stop();
  await database.stop();
});

type Engine = "PostgreSQL" | "Restate";

async function startWorker(engine: Engine): Promise<ChildProcess> {
  const byRestate = engine === "Restate" ? { RESTATE_URL: restate.ingressUrl, PORT: `${port}` } : {};
  const env = { ...process.env, PGHOST: database.host, MODEL_URL: model.url, ...byRestate };
  const execArgv = ["--conditions=palimpsest-source", "--no-warnings"];
  const child = fork(join(import.meta.dirname, "testing", "worker-process.ts"), { env, execArgv });
  children.add(child);
  await once(child, "message");
  return child;
}

test.each<Engine>(["PostgreSQL", "Restate"])(
  "by %s: workers that are killed and drained in the middle of turns lose no turn, and no effect takes place twice",
  async (engine) => {
    const tenant = randomUUID();
    const { inbox, schedule } = openPostgresDispatch({ pool: database.workers }).tenant(tenant);
    const store = openPostgres({ pool: database.workers }).store({ tenant });
    const workers = await Promise.all([startWorker(engine), startWorker(engine)]);
    if (engine === "Restate") await restate.register(`http://127.0.0.1:${port}`);
    const sessions: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      for (let count = 0; count < SESSIONS_FOR_EACH; count++) {
        const session = `${engine}-${sessions.length}`;
        sessions.push(session);
        await say(inbox, session, { key: "job", content: "Do the job." });
      }
      await wait(150 + Math.random() * 250);
      const at = kill % 2;
      const gone = workers[at]!;
      const exited = once(gone, "exit");
      gone.kill(kill % 3 === 2 ? "SIGTERM" : "SIGKILL");
      if (kill % 3 !== 2) await exited;
      workers[at] = await startWorker(engine);
    }
    const logOf = async (session: string): Promise<readonly string[]> => {
      const reader = await store.openReader(session);
      const entries = (await reader?.read(1, Number.MAX_SAFE_INTEGER)) ?? [];
      await reader?.close();
      return entries.map(({ payload }) => payload ?? "");
    };
    await until(async () => {
      const logs = await Promise.all(sessions.map(logOf));
      return logs.every((log) => log.some((payload) => payload.includes("All done.")));
    });

    let unknown = 0;
    for (const session of sessions) {
      const log = await logOf(session);
      expect(
        log.filter((payload) => payload.includes("Do the job.")),
        session,
      ).toHaveLength(1);
      expect(
        log.filter((payload) => payload.includes("All done.")),
        session,
      ).toHaveLength(1);
      unknown += log.filter((payload) => payload.includes("The outcome of this call is unknown")).length;
    }
    const { rows } = await database.admin.query(
      "SELECT tool, key, count(*)::int AS times FROM effect WHERE key LIKE $1 GROUP BY tool, key",
      [`${engine}%`],
    );
    const calls = sessions.length * ROUNDS;
    const paid = rows.filter(({ tool }) => tool === "pay");
    expect(paid.filter(({ times }) => times > 1)).toEqual([]);
    // Every call of it was run under one key, however often.
    expect(rows.filter(({ tool }) => tool === "act")).toHaveLength(calls);
    expect(paid.length).toBeLessThanOrEqual(calls);
    expect(paid.length).toBeGreaterThanOrEqual(calls - unknown);
    expect((await schedule.listSetAside()).sessions).toEqual([]);
    expect(await inbox.read(sessions[0]!)).toEqual([]);
  },
  300_000,
);
