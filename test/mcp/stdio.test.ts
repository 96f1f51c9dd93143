import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Older } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { type ProjectHome, projectHome, toLine } from "./project-home.ts";

const MAIN = join(import.meta.dirname, "../../packages/mcp/src/main.ts");
const ARGS = ["--conditions=palimpsest-source", "--no-warnings", MAIN];
const TOOLS = ["sessions", "search", "recall", "cost", "cache_breaks", "context", "memory", "remember"];

type Mode = NonNullable<ConstructorParameters<typeof Client>[1]>["versionNegotiation"];

async function connect({ folder, environment }: ProjectHome, args: readonly string[] = [], mode: Mode = {}) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: mode });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...ARGS, ...args],
    cwd: folder,
    env: { ...environment },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<string> => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const [first] = content;
    if (first?.type !== "text") throw new Error("It answered with something else than text.");
    return `${isError ? "ERROR " : ""}${first.text}`;
  };
  return { client, call };
}

test("the official client lists the tools and calls each, with the newest protocol", async () => {
  const { client, call } = await connect(projectHome(), [], { mode: { pin: "2026-07-28" } });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS);
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)).toEqual([
    "remember",
  ]);
  const listed = await call("sessions");
  // Some agents do not record the folder: they are counted, and not shown.
  expect(new Set(listed.match(/^[a-z-]+(?=-[0-9a-f]{8} \|)/gm))).toEqual(
    new Set(["claude-code", "codex", "pi", "qwen", "opencode"]),
  );
  expect(listed).toMatch(/\d+ sessions are left out: their agent does not record a folder/);
  expect(await call("search", { words: "gives 5" })).toContain("| 1 | add(2, 2) gives 5. Please put it right.");
  expect(await call("recall", { session: "9f0e", message: 1 })).toContain("--- message 1, user, 2026-11-01 10:00");
  expect(await call("cost", { session: "9f0e" })).toContain("2 responses.");
  expect(await call("context", { session: "9f0e" })).toContain("1 compactions.");
  expect(await call("cache_breaks", { session: "9f0e" })).toContain("cache misses");
  expect(await call("memory")).toBe("Nothing is remembered of this project yet.");
  expect(await call("recall", { session: "no-such" })).toBe(
    "ERROR No session here has that name. Call sessions to list them.",
  );
});

test("clients of the protocol of 2025 are served: the SDK of that time, with every session on the machine", async () => {
  const { folder, environment } = projectHome();
  const client = new Older({ name: "test", version: "1" });
  const args = [...ARGS, "--all"];
  const env = { ...environment };
  await client.connect(new OlderTransport({ command: process.execPath, args, cwd: folder, env }));
  onTestFinished(() => client.close());
  const { content } = await client.callTool({ name: "sessions", arguments: {} });
  const [{ text: listed }] = content as [{ text: string }];
  expect(new Set(listed.match(/^[a-z-]+(?=-[0-9a-f]{8} \|)/gm)).size).toBe(8);
});

test("a huge transcript is read as a stream: pings are answered meanwhile, and the call can be given up", async () => {
  const made = projectHome();
  const file = made.addSession("huge", [{ role: "user", text: "Begin." }]);
  const line = (index: number): string =>
    toLine("huge", { role: "user", text: `${index} ${"lorem ipsum ".repeat(2_000)}` }, index, made.folder);
  for (let part = 0; part < 10; part++) {
    appendFileSync(file, Array.from({ length: 170 }, (_, index) => line(1 + part * 170 + index)).join(""));
  }
  appendFileSync(file, toLine("huge", { role: "user", text: "The needle." }, 5_000, made.folder));
  const { client, call } = await connect(made);
  // The heads of all sessions are known from then on, so that little but the huge one is read.
  await call("sessions");
  let isDone = false;
  const found = call("search", { session: "huge", words: "needle" }).finally(() => {
    isDone = true;
  });
  let pings = 0;
  while (!isDone) {
    await client.ping();
    pings += 1;
  }
  expect(await found).toContain("The needle.");
  // Several hundred. A server that reads 40 MB at once answers some 10 to 40 of them, before it begins and at the end.
  expect(pings).toBeGreaterThan(100);
  const giveUp = new AbortController();
  const given = client.callTool({ name: "search", arguments: { words: "nothing" } }, { signal: giveUp.signal });
  giveUp.abort(new Error("given up"));
  await expect(given).rejects.toThrow();
  await client.ping();
});

test("only the protocol is on standard output, whatever comes in, and the program ends with its input", async () => {
  const { folder, environment } = projectHome();
  const child = spawn(process.execPath, ARGS, { cwd: folder, env: { ...environment } });
  const clientInfo = { name: "raw", version: "1" };
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const call = (id: number, name: string, input: unknown): object => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: input },
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const out = text(child.stdout);
  const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
  child.stdin.write("this is no JSON\n{}\n[]\n");
  send({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  send(call(2, "sessions", {}));
  send(call(3, "recall", { message: "one" }));
  send(call(4, "no-such-tool", {}));
  send(call(5, "sessions", { cursor: "x".repeat(5_000) }));
  let seen = "";
  child.stdout.on("data", (chunk) => {
    seen += chunk;
    if ([2, 3, 4, 5].every((id) => seen.includes(`"id":${id}`))) child.stdin.end();
  });
  expect(await ended).toBe(0);
  const lines = (await out).trim().split("\n");
  const answers = lines.map(
    (line) => JSON.parse(line) as { jsonrpc: string; id?: number; result?: { isError?: boolean } },
  );
  expect(new Set(answers.map(({ jsonrpc }) => jsonrpc))).toEqual(new Set(["2.0"]));
  expect(answers.find(({ id }) => id === 5)?.result?.isError).toBe(true);
});
