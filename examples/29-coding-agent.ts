/**
 * A coding agent in 100 lines: reads, edits and runs programs in one folder, asks before it changes anything, and continues its session when it is
 * started again. Below the line is only the simulated model and its task.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { answer, callTool, callTools, createAnthropic, inOrder, serve } from "@palimpsest/provider-simulator";
import { openSession, type Permission, query, recallFrom, type Tool, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";
import { z } from "zod";

function codingTools(folder: string): readonly Tool[] {
  /** A path inside the folder, links resolved. */
  async function inside(path: string): Promise<string> {
    const at = resolve(folder, path);
    const real = await realpath(at).catch(async () => join(await realpath(dirname(at)), at.slice(dirname(at).length)));
    if (!real.startsWith((await realpath(folder)) + sep)) throw new Error(`${path} is outside of the project.`);
    return real;
  }
  const read = tool({
    name: "read",
    description: "Reads a file of the project.",
    concurrency: "safe",
    sideEffects: "none",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => readFile(await inside(path), "utf8"),
  });
  const edit = tool({
    name: "edit",
    description: "Replaces a text that occurs once in a file of the project.",
    inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
    async execute({ path, before, after }) {
      const file = await inside(path);
      const parts = (await readFile(file, "utf8")).split(before);
      if (parts.length !== 2)
        throw new Error(`The text occurs ${parts.length - 1} times. Choose one that occurs once.`);
      await writeFile(file, parts.join(after));
      return `Changed ${path}.`;
    },
  });
  const run = tool({
    name: "run",
    description: "Runs a program in the project's folder. Returns its output and its exit code.",
    timeoutMs: 120_000,
    inputSchema: z.object({ program: z.string(), arguments: z.array(z.string()) }),
    execute: ({ program, arguments: args }, { signal }) =>
      new Promise<string>((done) => {
        execFile(program, args, { cwd: folder, signal }, (error, stdout, stderr) =>
          done(`${stdout}${stderr}\nexit code ${error === null ? 0 : (error.code ?? "unknown")}`),
        );
      }),
  });
  return [read, edit, run];
}

interface CodingAgentOptions {
  readonly client: Anthropic;
  readonly folder: string;
  /** Where sessions are kept: not in the project, which the agent may change. */
  readonly sessions: string;
  readonly permission: Permission;
}

async function work(prompt: string, { client, folder, sessions, permission }: CodingAgentOptions): Promise<void> {
  const session = await openSession({
    id: "project",
    store: sqliteStore({ folder: sessions }),
    provider: anthropic(client),
    model: "claude-opus-5-5",
    system: "You are a careful engineer. Read before you edit, and run the tests after you did.",
  });
  const tools = [...codingTools(folder), recallFrom(session)];
  for await (const event of query(session, { prompt, tools, permission })) {
    if (event.kind === "text") process.stdout.write(event.text);
    if (event.kind === "tool-ended")
      console.log(`${event.call.name} ${JSON.stringify(event.call.input)}: ${event.how}`);
  }
  const { priceUsd } = await session.ledger.cost();
  console.log(`\n${session.view.size().percentLeft}% of the window left, $${priceUsd?.toFixed(4)} spent`);
  await session.close();
}

// --------------------------------------------------------------------------------------------------------------------
const base = mkdtempSync(join(tmpdir(), "coding-agent-"));
const folder = mkdtempSync(join(base, "project-"));
writeFileSync(join(folder, "add.mjs"), "export const add = (a, b) => a - b;\n");
writeFileSync(
  join(folder, "test.mjs"),
  'import { add } from "./add.mjs";\nif (add(2, 2) !== 4) throw new Error("wrong");\n',
);
const node = (...args: readonly string[]) => callTool("run", { program: process.execPath, arguments: args });
const script = inOrder(
  [
    callTools(node("test.mjs"), callTool("read", { path: "add.mjs" }), callTool("read", { path: "../../secret" })),
    callTools(callTool("edit", { path: "add.mjs", before: "a - b", after: "a + b" })),
    callTools(node("test.mjs")),
  ],
  ({ toolResults }) => answer(toolResults[0]!.text.includes("exit code 0") ? "The test passes." : "The test fails."),
);
const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url });
/** In a terminal you would ask a person here. */
const permission: Permission = ({ call: { name } }) =>
  ["read", "edit", "run"].includes(name) ? { kind: "allow" } : { kind: "deny", reason: "Not in this project." };
await work("The test fails. Put it right.", { client, folder, sessions: join(base, "sessions"), permission });
if (!readFileSync(join(folder, "add.mjs"), "utf8").includes("a + b")) throw new Error("The file was not changed.");
await server.close();
rmSync(base, { recursive: true });
