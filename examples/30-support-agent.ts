/**
 * A support agent on PostgreSQL to copy: one session per customer, in the database that has your orders. Any server answers any customer, and keeps
 * nothing. A refund and its note are one transaction, so that a call that runs twice pays once. Below the line: a database, a simulated model,
 * and a customer who meets two servers.
 */
import Anthropic from "@anthropic-ai/sdk";
import { openPostgres } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { openSession, type Permission, query, recallFrom, type Tool, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import type pg from "pg";
import { z } from "zod";

/** A person decides about more than this. */
const MAX_REFUND_USD = 50;

/** The tools of one customer: the model never chooses whose orders it sees. */
function supportTools(pool: pg.Pool, customer: string): readonly Tool[] {
  const orders = tool({
    name: "orders",
    description: "Lists the orders of this customer.",
    concurrency: "safe",
    sideEffects: "none",
    inputSchema: z.object({}),
    execute: async () => {
      const { rows } = await pool.query("SELECT id, article, usd, state FROM orders WHERE customer = $1", [customer]);
      return JSON.stringify(rows);
    },
  });
  const refund = tool({
    name: "refund",
    description: "Pays back an order of this customer.",
    repeat: "by-key", // after a crash the call may run again, with the same key
    inputSchema: z.object({ order: z.int() }),
    async execute({ order }, { key }) {
      const { rows } = await pool.query(
        `WITH paid AS (UPDATE orders SET state = 'refunded', refund_key = $3
                       WHERE id = $1 AND customer = $2 AND state = 'delivered' RETURNING usd)
         SELECT usd FROM paid UNION SELECT usd FROM orders WHERE id = $1 AND refund_key = $3`,
        [order, customer, key],
      );
      return rows.length === 0
        ? `Order ${order} cannot be paid back.`
        : `${rows[0].usd} USD of order ${order} are paid.`;
    },
  });
  return [orders, refund];
}

/** Answers one message of a customer. */
async function answerCustomer(
  { pool, client }: { readonly pool: pg.Pool; readonly client: Anthropic },
  { customer, message }: { readonly customer: string; readonly message: string },
): Promise<string> {
  const session = await openSession({
    id: customer,
    store: openPostgres({ pool }).store({ tenant: "shop" }),
    provider: anthropic(client),
    model: "claude-opus-5-5",
    system: "You answer customers of a shop for mugs. Look at their orders before you promise anything.",
    takeover: { waitMs: 10_000 }, // another server may still be answering this customer
  });
  const permission: Permission = async ({ call, input }) => {
    if (call.name !== "refund") return { kind: "allow" };
    const { order } = input as { order: number };
    const { rows } = await pool.query("SELECT usd FROM orders WHERE id = $1 AND customer = $2", [order, customer]);
    if (rows.length > 0 && rows[0].usd <= MAX_REFUND_USD) return { kind: "allow" };
    return {
      kind: "deny",
      reason: `Only a person pays back more than ${MAX_REFUND_USD} USD. Say that one will write.`,
    };
  };
  let text = "";
  try {
    const tools = [...supportTools(pool, customer), recallFrom(session)];
    for await (const event of query(session, { prompt: message, tools, permission })) {
      if (event.kind === "response") text = event.response.text;
      if (event.kind === "turn-ended" && event.outcome.kind !== "done") throw new Error(JSON.stringify(event.outcome));
    }
  } finally {
    await session.close();
  }
  return text;
}

// --------------------------------------------------------------------------------------------------------------------
const database = await startDatabase();
await database.admin.query(`
  CREATE TABLE orders (id int PRIMARY KEY, customer text, article text, usd int, state text, refund_key text);
  GRANT SELECT, UPDATE ON orders TO service;
  INSERT INTO orders VALUES (1, 'ada', 'mug', 20, 'delivered'), (2, 'bob', 'mug', 20, 'delivered'), (3, 'ada', 'golden mug', 400, 'delivered')`);
/** Looks at the orders, then tries to pay back those that the customer names: once also an order of somebody else. */
const script: Script = ({ request, toolResults }) => {
  const wanted = JSON.stringify(request["messages"]).includes("order 3") ? [3] : [1, 2];
  if (toolResults.length === 0) return callTools(callTool("orders", {}));
  if (toolResults[0]!.text.startsWith("[")) return callTools(...wanted.map((order) => callTool("refund", { order })));
  return answer(toolResults.map(({ text }) => text).join(" "));
};
const simulator = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: simulator.url, maxRetries: 0 });
const startServer = () => ({ client, pool: database.connect({ user: "service", database: "postgres" }) });

const [one, other] = [startServer(), startServer()];
const customer = "ada";
console.log(await answerCustomer(one, { customer, message: "My mug is broken, it was order 1. Bob's was order 2." }));
console.log(await answerCustomer(other, { customer, message: "And pay back order 3." }));

const { rows } = await database.admin.query("SELECT id, state FROM orders ORDER BY id");
console.log(rows.map(({ id, state }) => `${id} ${state}`).join(", "));
if (rows.map(({ state }) => state).join() !== "refunded,delivered,delivered")
  throw new Error("The wrong orders were paid.");
const last = simulator.recorder.exchanges.at(-1)!.body;
if (!last.includes("My mug is broken")) throw new Error("The second server does not know what the first was told.");
if (simulator.recorder.total().refused > 0) throw new Error("A request was refused.");
await simulator.close();
await database.stop();
