import { setTimeout as wait } from "node:timers/promises";
import { say } from "@palimpsest/fleet";
import { openPostgresDispatch } from "@palimpsest/postgres";
import type { StartedDatabase } from "@palimpsest/postgres/test-server";
import { answer, createAnthropic, serve } from "@palimpsest/provider-simulator";
import type { WorkerProgram } from "../chaos/fleet/bundle-worker.ts";
import { startWorker } from "../chaos/fleet/start-worker.ts";
import type { Figures } from "../experiment.ts";
import { listenTo } from "../listen-to.ts";
import { percentile, round } from "../statistics.ts";

interface WatchOptions {
  /** Sessions, each watched from before its first turn. */
  readonly streams: number;
  readonly turnsPerSecond: number;
  readonly program: WorkerProgram;
}

const TENANT = "streams";
const WORKERS = 2;
const SAID_AT = /said at (\d+)/;

/** Watches many sessions while two workers in processes of their own run their turns. Each answer says when the model gave it. */
export async function watchDeltas(
  database: StartedDatabase,
  { streams, turnsPerSecond, program }: WatchOptions,
): Promise<Figures> {
  const script = () => answer(`This was said at ${Date.now()}, and nothing else.`);
  const model = await serve({ faces: [createAnthropic({ script })] });
  const plan = {
    driver: "postgres",
    engine: {},
    database: { host: database.host },
    effectsUrl: "",
    news: "listen",
  } as const;
  const workers = Array.from({ length: WORKERS }, () => startWorker(program, { ...plan, modelUrl: model.url }));
  const dispatch = openPostgresDispatch({ pool: database.dispatchers, listen: listenTo(database) });
  const { events, inbox } = dispatch.tenant(TENANT);
  const delaysMs: number[] = [];
  let [missed, twice] = [0, 0];

  async function watch(session: string): Promise<void> {
    let seen = 0;
    for await (const each of events.watch(session, { after: 0 })) {
      if (each.kind !== "event") throw new Error(each.kind);
      if (each.offset <= seen) twice++;
      if (each.offset > seen + 1) missed += each.offset - seen - 1;
      seen = each.offset;
      const { kind, text = "" } = each.event as { readonly kind: string; readonly text?: string };
      const [, atMs] = kind === "text" ? (SAID_AT.exec(text) ?? []) : [];
      if (atMs !== undefined) delaysMs.push(Date.now() - Number(atMs));
      if (kind === "run-ended") return;
    }
  }

  try {
    await Promise.all(workers.map(({ ready }) => ready));
    const names = Array.from({ length: streams }, (_, index) => `stream-${index}`);
    const watching = names.map(watch);
    for (const name of names) {
      await say(inbox, name, { key: "prompt", content: "Say when it is." });
      await wait(1_000 / turnsPerSecond);
    }
    await Promise.all(watching);
    return {
      streams,
      delta_latency_p95_ms: round(percentile(delaysMs, 95)),
      delta_latency_p50_ms: round(percentile(delaysMs, 50)),
      deltas: delaysMs.length,
      events_missed: missed,
      events_twice: twice,
    };
  } finally {
    for (const worker of workers) worker.signal("SIGKILL");
    await Promise.all(workers.map(({ gone }) => gone));
    await dispatch.close();
    await model.close();
  }
}
