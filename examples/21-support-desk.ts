/**
 * A support desk over HTTP. Money leaves only if a person agrees, who may take days: no process waits for that. Servers are replaced
 * meanwhile, and time is turned forward. `agent` is what a module for `palimpsest serve` exports.
 */
import Anthropic from "@anthropic-ai/sdk";
import { createClient, type SessionClient } from "@palimpsest/client";
import { queueScheduler, type SessionTarget, type SessionTimer } from "@palimpsest/fleet";
import { openPostgres, openPostgresDispatch, postgresTokens } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { createToken, type FleetServer, type Scope, type ServedAgent, serveFleet } from "@palimpsest/server";
import { tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

const DAY_MS = 86_400_000;
let skippedMs = 0;
const clock = { now: () => Date.now() + skippedMs };
const script: Script = ({ toolResults }) => {
  if (toolResults.length === 0) return callTools(callTool("refund", { order: 17, usd: 20 }));
  return answer(
    toolResults[0]!.text.includes("paid") ? "The money is on its way." : "Nobody could approve the refund.",
  );
};
const model = await serve({ faces: [createAnthropic({ script })] });
const database = await startDatabase();

// What the desk consists of.
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: model.url, maxRetries: 0 }));
const payments = new Map<string, number>();
const refund = tool({
  name: "refund",
  description: "Pays the money for an order back.",
  inputSchema: { type: "object", properties: { order: { type: "number" }, usd: { type: "number" } } },
  repeat: "by-key", // the bank takes a payment once for each key, so a call may run again on another machine
  execute({ usd }: { usd: number }, { key }) {
    payments.set(key, usd);
    return `${usd} USD are paid.`;
  },
});
function agent({ tenant }: SessionTarget): ServedAgent {
  return {
    provider,
    model: "claude-opus-5-5",
    system: `You answer customers of ${tenant}.`,
    tools: [refund],
    permission: async () => ({ kind: "later", reason: "more than 10 USD" }),
  };
}
const reminders: string[] = [];
const nudge: SessionTimer = {
  key: "nudge",
  afterMs: 2 * DAY_MS,
  async run({ target: { session } }) {
    const { questions } = await manager.questions({ session });
    if (questions.length > 0) reminders.push(session);
    return undefined;
  },
};

/** One of any number of processes: `palimpsest serve agent.ts`. */
async function startServer(): Promise<FleetServer> {
  const pool = database.connect({ user: "dispatcher", database: "postgres" });
  const postgres = openPostgres({ pool });
  const { tenant: dispatch, queue, close } = openPostgresDispatch({ pool, clock, pollMs: 50 });
  const server = await serveFleet({
    agent,
    store: (tenant) => postgres.store({ tenant }),
    dispatch,
    scheduler: queueScheduler({ queue, schedule: (tenant) => dispatch(tenant).schedule }),
    tokens: postgresTokens({ pool }),
    timers: [nudge],
    questionsExpireAfterMs: 7 * DAY_MS,
    clock,
  });
  return { ...server, close: async (options) => server.close(options).finally(close) };
}

let server = await startServer();
// Behind a load balancer the address stays the same.
const balance: typeof fetch = (url, init) => fetch(String(url).replace("http://desk.example", server.url), init);
async function clientFor(name: string, scopes: readonly Scope[]) {
  const { text: token, stored } = createToken({ tenant: "shop", name, scopes });
  await postgresTokens({ pool: database.workers }).add(stored);
  return createClient({ url: "http://desk.example", token, fetch: balance, retryMs: 50 });
}
const shop = await clientFor("web shop", ["sessions:read", "sessions:write"]);
const manager = await clientFor("Grace", ["sessions:read", "sessions:approve"]);

/** Shows a customer what happens, over all servers that come and go, until the question is settled. */
async function show({ id, events }: SessionClient): Promise<void> {
  for await (const { event } of events()) {
    if (event.kind === "text") console.log(`[to ${id}] ${event.text}`);
    if (event.kind === "run-ended" && event.state === "idle") return;
  }
}
async function passDays(days: number): Promise<void> {
  await server.close({ graceMs: 1_000 });
  skippedMs += days * DAY_MS;
  console.log(`${days} days later, on another server`);
  server = await startServer();
}
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const customers: Promise<void>[] = [];
for (const id of ["ada", "bob"]) {
  await shop.create({ id, metadata: { title: `Customer ${id}` } });
  const session = shop.session(id);
  await session.say("My mug arrived broken. I want my 20 USD back.", { key: "mail-1" });
  customers.push(show(session));
}
await until(async () => (await manager.questions()).questions.length === 2);
await passDays(3);
await until(() => reminders.length === 2);
console.log(`[to the manager] ${reminders.sort().join(" and ")} have been waiting for you for two days.`);
const { questions } = await manager.questions();
for (const { sessionId, tool: name, input, reason } of questions)
  console.log(`[to the manager] ${sessionId}: ${name} ${JSON.stringify(input)}? (${reason})`);
const { callId } = questions.find(({ sessionId }) => sessionId === "ada")!;
await manager.session("ada").answer(callId, { decision: "allow" });
await customers[0];
// Nobody answers the other one.
await passDays(5);
await customers[1];
console.log("paid:", [...payments.values()]);

await server.close({ graceMs: 1_000 });
await model.close();
await database.stop();
