/**
 * A worker that runs the sessions of all tenants, until it is killed or told to go (SIGTERM). Its ports stand still where it is to be
 * killed. Its tools take effect in another process.
 *
 * Argument: a `WorkerPlan`.
 */
import { setTimeout as wait } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { createSessionWorker } from "@palimpsest/fleet";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { openSession, type Permission, type Tool, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import pg from "pg";
import { listenTo } from "../../listen-to.ts";
import { DRIVERS } from "./driver.ts";
import { MODEL, REPEATS, type ToolName, WINDOW_TOKENS } from "./job.ts";
import { createMoments } from "./moments.ts";
import { mortalDispatch, mortalFetch, mortalStore } from "./mortal-ports.ts";
import type { WorkerNews, WorkerOrder } from "./phases.ts";
import { POISON, type WorkerPlan } from "./worker-plan.ts";

const plan = JSON.parse(process.argv[2] ?? "{}") as WorkerPlan;
const { release = 1, toolMs = 5, driver, engine, modelUrl: baseURL, effectsUrl, slots, renewEveryMs } = plan;
const tell = (news: WorkerNews): void => void process.send?.(news);
const moments = createMoments(tell);
// What it tells is told to who may be gone.
process.on("disconnect", () => process.exit());
process.on("message", (order: WorkerOrder) => {
  if (order.kind === "trap") moments.set(order.trap);
  else if (order.kind === "release") moments.release();
  else jumpClock(order.byMs);
});

const pool = new pg.Pool({ ...plan.database, user: "dispatcher", database: "postgres", max: 8 });
pool.on("error", () => undefined);
const postgres = openPostgres({ pool });
const { silentAfterMs, maxAttempts } = plan;
const dispatch = openPostgresDispatch({
  pool,
  ...(silentAfterMs === undefined ? {} : { silentAfterMs }),
  ...(maxAttempts === undefined ? {} : { maxAttempts }),
  ...(plan.news === "listen" ? { listen: listenTo(plan.database) } : {}),
});
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL, maxRetries: 0, fetch: mortalFetch(moments) }), {
  models: { [MODEL]: { windowTokens: WINDOW_TOKENS } },
});

/** A tool that takes effect in the process that counts effects. */
function effectTool(name: ToolName | "later-release"): Tool {
  return tool({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object" },
    repeat: name === "later-release" ? "free" : REPEATS[name],
    concurrency: "safe",
    async execute(input, { key }) {
      const { mark } = input as { readonly mark: string };
      const session = mark.slice(0, mark.lastIndexOf("."));
      await moments.reach("in a tool", session);
      await wait(toolMs);
      const body = JSON.stringify({ tool: name, key, mark, worker: process.pid });
      const { ok } = await fetch(effectsUrl, { method: "POST", body });
      if (!ok) throw new Error("The effect was refused.");
      await moments.reach("in a tool", session);
      await wait(toolMs);
      return `done: ${mark}`;
    },
  });
}

const names = [...(Object.keys(REPEATS) as ToolName[]), ...(release === 2 ? (["later-release"] as const) : [])];
const tools = names.map(effectTool);
const permission: Permission = ({ call }) =>
  call.name === "refund" ? { kind: "later", reason: "Money goes out." } : { kind: "allow" };
const worker = createSessionWorker({
  async open({ tenant, session: id }) {
    if (release === 1 && id.startsWith(POISON)) process.kill(process.pid, "SIGKILL");
    return openSession({
      store: mortalStore(postgres.store({ tenant }), moments),
      id,
      provider,
      model: MODEL,
      tools,
      takeover: "always",
      settings: { notes: "off", profile: "quality" },
    });
  },
  store: (tenant) => postgres.store({ tenant }),
  dispatch: (tenant) => mortalDispatch(dispatch.tenant(tenant), moments),
  turn: () => ({ permission }),
  onError: tellError,
});
const scheduler = await DRIVERS[driver].connect(dispatch, engine);
const serving = scheduler.serve(worker.run, {
  ...(slots === undefined ? {} : { slots }),
  ...(renewEveryMs === undefined ? {} : { renewEveryMs }),
  onSetAside: worker.setAside,
  onError: tellError,
});
process.once("SIGTERM", async () => {
  const { ended, left } = await serving.drain();
  await worker.close();
  await dispatch.close();
  await pool.end();
  tell({ kind: "drained", ended, left });
  process.exit();
});
tell({ kind: "ready" });

function tellError(error: unknown): void {
  tell({ kind: "error", text: String(error) });
}

function jumpClock(byMs: number): void {
  const now = Date.now;
  Date.now = () => now() + byMs;
}
