/** A complete agent: two tools, a prompt, and a session that outlives its window. Below the line is only the simulated model. */
import { readdir, readFile } from "node:fs/promises";
import Anthropic from "@anthropic-ai/sdk";
import { callTool, callTools, createAnthropic, inOrder, overloaded, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, query, recallFrom, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { z } from "zod";

const list = tool({
  name: "list",
  description: "Lists the files of a folder.",
  concurrency: "safe",
  inputSchema: z.object({ folder: z.string() }),
  execute: async ({ folder }) => (await readdir(folder)).join("\n"),
});
const read = tool({
  name: "read",
  description: "Reads a file.",
  concurrency: "safe",
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, "utf8"),
});

async function agent(client: Anthropic, prompt: string): Promise<void> {
  const provider = anthropic(client);
  const session = await openSession({ store: memoryStore(), provider, model: "claude-opus-5-5" });
  for await (const event of query(session, { prompt, tools: [list, read, recallFrom(session)] })) {
    if (event.kind === "text") process.stdout.write(event.text);
    if (event.kind === "retry-waiting") console.log(`(${event.reason}: once more in ${event.waitMs} ms)`);
    if (event.kind === "tool-ended") console.log(event.call.name, event.call.input, event.how);
    if (event.kind === "turn-ended") console.log(`\n${event.outcome.kind} after ${event.outcome.rounds} rounds`);
  }
}

// --------------------------------------------------------------------------------------------------------------------
const here = import.meta.dirname;
const script = inOrder(
  [
    callTools(callTool("list", { folder: here }), callTool("read", { file: "package.json" })),
    { words: [], fault: overloaded() },
    callTools(callTool("read", { path: `${here}/package.json` })),
  ],
  ({ toolResults }) => ({ words: [{ kind: "text", text: `It is ${JSON.parse(toolResults[0]!.text).name}.` }] }),
);
const server = await serve({ faces: [createAnthropic({ script })] });
await agent(new Anthropic({ apiKey: "none", baseURL: server.url }), "What is the name of this package?");
await server.close();
