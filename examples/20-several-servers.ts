/** Two servers, one database, a load balancer of ten lines. One server is killed in the middle of a turn: the other goes on with it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import Anthropic from "@anthropic-ai/sdk";
import { openPostgres } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { openSession, query, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import pg from "pg";

if (process.argv[2] === "server") await startServer();
else await drill();

/** A server of yours. It keeps nothing: any of them can serve any session. POST /TENANT/SESSION/NUMBER, the message in the body. */
async function startServer(): Promise<void> {
  const pool = new pg.Pool({ host: process.env["PGHOST"]!, user: "service", database: "postgres" });
  // A server that is silent for two seconds has lost its sessions. It could not write to them any more, even if it came back.
  const postgres = openPostgres({ pool, leaseMs: 2_000 });
  const client = new Anthropic({ apiKey: "none", baseURL: process.env["MODEL_URL"]!, maxRetries: 0 });
  const findOrder = tool({
    name: "find_order",
    description: "Finds an order by its number.",
    repeat: "free", // looking twice does no harm: so another server may run the call again
    inputSchema: { type: "object", properties: { number: { type: "number" } } },
    async execute({ number }) {
      process.send?.("in a tool");
      await new Promise((resolve) => setTimeout(resolve, 500));
      return `Order ${number} left on Monday.`;
    },
  });

  await listen(async (request, response) => {
    const [, tenant, id, number] = request.url!.split("/");
    const session = await openSession({
      store: postgres.store({ tenant: tenant! }),
      id: id!,
      provider: anthropic(client),
      model: "claude-opus-5-5",
      // Another server may still have it, or be dead for less than two seconds.
      takeover: { waitMs: 20_000 },
    });
    // Who got no answer sends the message again, with the same number: it is in the log once.
    await session.turn.takeIn({ queue: "client", number: Number(number), content: await text(request) });
    // A turn that is over is not taken again: the client only missed the answer.
    if (session.turn.next().kind !== "nothing") for await (const _ of query(session, { tools: [findOrder] }));
    const { messages } = await session.messages({ limit: 1 });
    await session.close();
    const texts = messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])),
    );
    response.end(texts.join(""));
  });
}

/** The load balancer: sessions are spread over the servers, and go to the next one if theirs does not answer. */
function balance(servers: readonly string[]): RequestListener {
  return async (request, response) => {
    const body = await text(request);
    const first = request.url!.length % servers.length;
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      const answered = await fetch(server + request.url, { method: "POST", body }).catch(() => undefined);
      if (answered?.ok) return void response.end(await answered.text());
    }
    response.writeHead(502).end("No server answers.");
  };
}

async function drill(): Promise<void> {
  const script: Script = ({ userText, toolResults }) => {
    if (toolResults.length > 0) return answer(toolResults[0]!.text);
    return userText.includes("order") ? callTools(callTool("find_order", { number: 17 })) : answer("Good morning!");
  };
  const model = await serve({ faces: [createAnthropic({ script })] });
  const database = await startDatabase();
  const environment = { ...process.env, PGHOST: database.host, MODEL_URL: model.url };
  const children = [0, 1].map(() => fork(import.meta.filename, ["server"], { env: environment }));
  const servers = await Promise.all(children.map(async (child) => String((await once(child, "message"))[0])));
  const balancer = createServer(balance(servers));
  await once(balancer.listen(0, "127.0.0.1"), "listening");
  const { port } = balancer.address() as { readonly port: number };
  const say = async (number: number, words: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/acme/desk-1/${number}`, { method: "POST", body: words })).text();

  console.log("1:", await say(1, "Hello."));
  const isKilled = killInTool(children);
  console.log("2:", await say(2, "Where is my order?"));
  console.log("a server was killed in between:", await isKilled);
  // As if the answer had been lost on its way.
  console.log("2 again:", await say(2, "Where is my order?"));

  const log = await openPostgres({ pool: database.workers }).store({ tenant: "acme" }).openReader("desk-1");
  const entries = (await log?.read(1, Number.POSITIVE_INFINITY)) ?? [];
  const questions = entries.filter(({ payload }) => payload?.includes("Where is my order?"));
  console.log("the question is in the log", questions.length, "time");
  for (const child of children) child.kill();
  balancer.close();
  await model.close();
  await database.stop();
}

/** Kills the first server that runs the tool, as a power cut would. */
async function killInTool(children: readonly ChildProcess[]): Promise<boolean> {
  const first = await Promise.race(children.map(async (child) => (await once(child, "message")) && child));
  return first.kill("SIGKILL");
}

async function listen(handle: RequestListener): Promise<void> {
  const server = createServer(handle);
  await once(server.listen(0, "127.0.0.1"), "listening");
  process.send?.(`http://127.0.0.1:${(server.address() as { readonly port: number }).port}`);
}
