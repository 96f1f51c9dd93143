import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { startCollector } from "../testing/start-collector.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

const MODULE = fileURLToPath(new URL("../testing/served-agent.ts", import.meta.url));
let database: StartedDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

const script: Script = ({ toolResults }) =>
  toolResults.length > 0 ? answer("It is paid.") : callTools(callTool("refund", { usd: 5 }));

test("serve answers requests and runs sessions until it is terminated", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, script);
  writeFileSync(join(project.folder, "empty.mjs"), "");
  const environment = { PGHOST: database.host, PGDATABASE: "postgres", PGUSER: "dispatcher" };
  const wrong = await cli.run(["serve", "empty.mjs"], { environment });
  expect(wrong).toMatchObject({ code: 2, said: expect.stringContaining("exports no function agent") });
  expect((await cli.run(["serve"], { environment })).code).toBe(2);
  expect(await cli.run(["serve", MODULE])).toMatchObject({ code: 2, said: expect.stringContaining("--database") });
  const empty = await cli.run(["serve", MODULE], { environment: { ...environment, PGDATABASE: "template1" } });
  expect(empty).toMatchObject({ code: 1, said: expect.stringContaining("palimpsest database migrate") });
  const create = ["database", "tokens", "create", "--tenant", "shop", "--name", "desk"];
  const token = (await cli.run(create, { environment })).out.trim();

  const listen = `postgres://dispatcher@/postgres?host=${encodeURIComponent(database.host)}`;
  const args = ["serve", MODULE, "--port", "0", "--json", "--workers", "2", "--listen", listen, "--grace", "5"];
  const collector = await startCollector();
  const sending = { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { process: child, ended } = cli.start(args, { input: "open", environment: sending });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (bytes) => {
      said += String(bytes);
      const found = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(said)));
  });
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "idempotency-key": "k",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    return fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  };
  expect((await send("GET", "/health/ready")).status).toBe(200);
  expect((await send("POST", "/v1/sessions", { id: "s" })).status).toBe(201);
  expect((await send("POST", "/v1/sessions/s/messages", { content: "My money, please." })).status).toBe(202);
  const events = (await send("GET", "/v1/sessions/s/events")).body!.pipeThrough(new TextDecoderStream());
  let seen = "";
  for await (const text of events) {
    const before = seen.split("run-ended").length;
    seen += text;
    if (seen.includes("event: closing")) break;
    if (seen.split("run-ended").length === before) continue;
    if (seen.includes("It is paid.")) child.kill("SIGTERM");
    else {
      const { questions } = (await (await send("GET", "/v1/questions")).json()) as { questions: { callId: string }[] };
      const path = `/v1/sessions/s/questions/${encodeURIComponent(questions[0]!.callId)}/answer`;
      expect((await send("PUT", path, { decision: "allow" })).status).toBe(200);
    }
  }
  expect(seen).toContain("server-stopping");
  const { code, out, said } = await ended;
  expect(said).toContain("0 were left for other processes");
  expect(code).toBe(0);
  expect(out).toMatch(/"operation":"say","tenant":"shop".*"status":202/);
  expect(cli.refused()).toEqual([]);
  const bodies = (path: string): string =>
    collector
      .at(path)
      .map(({ body }) => body)
      .join("");
  for (const span of [
    "POST /v1/sessions/{session}/messages",
    "palimpsest.queued",
    "invoke_agent",
    "execute_tool refund",
  ])
    expect(bodies("/v1/traces")).toContain(span);
  expect(bodies("/v1/metrics")).toContain("palimpsest.fleet.runs");
  expect(bodies("/v1/traces") + bodies("/v1/metrics")).not.toContain("My money, please.");
  // Neither output contains secrets.
  expect(out + said).not.toContain(token.slice(-43));
});
