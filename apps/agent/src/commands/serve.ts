import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import { queueScheduler } from "@palimpsest/fleet";
import {
  checkHealth,
  openPostgres,
  openPostgresDispatch,
  type PostgresDispatch,
  postgresTokens,
} from "@palimpsest/postgres";
import { type ServeFleetOptions, serveFleet, tokenFolder } from "@palimpsest/server";
import { fleetTelemetry, httpTelemetry } from "palimpsest/telemetry";
import type { Pool } from "pg";
import { openOperations } from "../workspace/open-operations.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { connectDirectly, inDatabase } from "./open-database.ts";
import { countOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

const DEFAULT_PORT = 8_787;
const DEFAULT_GRACE_SECONDS = 25;
const APPLICATION = "palimpsest serve";
/**
 * The number of database connections. A step of a turn needs a connection for a few milliseconds, and a stream needs
 * none.
 */
const CONNECTIONS = 10;

/** The exports of an agent's module. */
type AgentModule = Pick<ServeFleetOptions, "agent" | "timers" | "questionsExpireAfterMs">;

/** Serves sessions over HTTP and runs them, until the program is interrupted. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.serve);
  const [module] = positionals;
  if (module === undefined) throw new UsageError("The module is missing: palimpsest serve ./agent.ts");
  const perMinute = countOf("--requests-per-minute", values["requests-per-minute"]);
  const workers = numberOf("--workers", values.workers);
  const graceMs = (countOf("--grace", values.grace) ?? DEFAULT_GRACE_SECONDS) * 1_000;
  const port = numberOf("--port", values.port) ?? DEFAULT_PORT;
  const signal = terminal.interruption();
  const { agent, timers, questionsExpireAfterMs } = await loadAgent(resolve(terminal.folder, module));
  const to = { database: values.database, application: APPLICATION, connections: CONNECTIONS };
  return inDatabase(terminal, to, async (pool) => {
    const { state, problems } = await checkHealth(pool);
    if (state === "down") throw new Error(`The database cannot be used: ${problems.join("; ")}.`);
    const { store, dispatch, scheduler, overview, close } = openPorts(pool, values.listen);
    const { environment } = terminal;
    const operations = await openOperations({ environment, agentHome: agentHomeOf(environment) });
    for (const problem of operations.problems) terminal.say(problem, "warning");
    const { instruments } = operations;
    const server = await serveFleet({
      agent,
      store,
      dispatch,
      scheduler,
      workers,
      ...(timers && { timers }),
      ...(questionsExpireAfterMs === undefined ? {} : { questionsExpireAfterMs }),
      health: () => checkHealth(pool),
      ...(instruments && {
        telemetry: httpTelemetry(instruments),
        runTelemetry: fleetTelemetry({ ...instruments, ...(await ifAllowed(overview)) }),
      }),
      tokens: values.tokens === undefined ? postgresTokens({ pool }) : tokenFolder(values.tokens),
      port,
      ...(values.address === undefined ? {} : { address: values.address }),
      allowedOrigins: values["allow-origin"] ?? [],
      limits: perMinute === undefined ? {} : { requestsPerMinute: perMinute },
      onError: (error, { requestId, operation }) =>
        terminal.say(`Request ${requestId} (${operation}) failed: ${textOf(error)}`, "warning"),
      onRunError: runErrors(terminal),
      ...(values.json === true ? { onRequest: (answered) => void terminal.print(JSON.stringify(answered)) } : {}),
    });
    terminal.say(
      `Serving sessions on ${server.url}. Create a token: palimpsest database tokens create --tenant NAME --name TEXT`,
    );
    if (!signal.aborted) await once(signal, "abort");
    terminal.say(`Stopping: requests and turns have ${graceMs / 1_000} s. Interrupt again to stop at once.`);
    const { ended, left } = await server.close({ graceMs });
    await close();
    for (const problem of await operations.close()) terminal.say(problem, "warning");
    terminal.say(`${ended} turns ended here, ${left} were left for other processes.`);
    return signal.reason === EXIT.terminated ? EXIT.done : EXIT.interrupted;
  });
}

type Ports = Pick<ServeFleetOptions, "store" | "dispatch" | "scheduler"> & Pick<PostgresDispatch, "overview" | "close">;

/** Only an operator may see the whole fleet. A process with another role reports its own work. */
async function ifAllowed(overview: Ports["overview"]): Promise<{ readonly overview?: Ports["overview"] }> {
  try {
    await overview({ limit: 1 });
    return { overview: () => overview({ limit: 1 }) };
  } catch {
    return {};
  }
}

function openPorts(pool: Pool, listen: string | undefined): Ports {
  const postgres = openPostgres({ pool });
  const news = listen === undefined ? {} : { listen: () => connectDirectly(listen, APPLICATION) };
  const { tenant: dispatch, queue, overview, close } = openPostgresDispatch({ pool, ...news });
  return {
    store: (tenant) => postgres.store({ tenant }),
    dispatch,
    scheduler: queueScheduler({ queue, schedule: (tenant) => dispatch(tenant).schedule }),
    overview,
    close,
  };
}

async function loadAgent(file: string): Promise<AgentModule> {
  const loaded = (await import(pathToFileURL(file).href)) as Partial<AgentModule>;
  const { agent } = loaded;
  if (typeof agent !== "function")
    throw new UsageError(`${file} exports no function agent. palimpsest help serve says what it returns.`);
  return { ...loaded, agent };
}

/** Reads a number that may be 0, which means any free port, or no workers. */
function numberOf(option: string, value: string | undefined): number | undefined {
  return value === "0" ? 0 : countOf(option, value);
}

/** Prints repeated failures once, such as an unreachable database. */
function runErrors({ say }: Terminal): NonNullable<ServeFleetOptions["onRunError"]> {
  let before = "";
  return (error, target) => {
    const who = target === undefined ? "A worker" : `Session ${target.session} of ${target.tenant}`;
    const text = `${who} failed: ${textOf(error)}`;
    if (text !== before) say(text, "warning");
    before = text;
  };
}

function textOf(error: unknown): string {
  return (error as Error)?.stack ?? String(error);
}
