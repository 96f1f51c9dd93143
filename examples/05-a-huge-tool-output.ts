/** A tool that puts out 50 MB: stored while it arrives, in constant memory; the model gets a preview and a number. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { callTool, callTools, createAnthropic, inOrder, serve } from "@palimpsest/provider-simulator";
import { openSession, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";

const script = inOrder([callTools(callTool("Bash", { command: "make -j8" }))]);
const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
const store = sqliteStore({ folder });

const session = await openSession({
  id: "build",
  store,
  provider: anthropic(client),
  model: "claude-opus-5-5",
  tools: [{ name: "Bash", description: "Runs a command.", inputSchema: { type: "object" } }],
});

/** What a build might say. */
async function* buildOutput(): AsyncGenerator<string> {
  for (let file = 1; file <= 800; file++) yield `cc -c part-${file}.c -o part-${file}.o\n`.repeat(1_800);
  yield "part-800.c:12: error: expected ';' before '}'\nmake: *** [part-800.o] Error 1\n";
}

await session.append("Build it.");
const { calls } = await session.record(await client.messages.create(await session.prepare()));
const [entry] = await session.append(toolResult(calls[0]!.id, buildOutput(), "error"));

const { messages } = await session.prepare();
const shown = JSON.stringify(messages.at(-1));
console.log(
  `the model is shown ${shown.length} characters, the error at the end among them: ${shown.includes("expected ';'")}`,
);
const found = await session.recall({ entry: entry!, search: "error:" });
console.log(
  found.kind === "lines" ? found.found.map(({ line, text }) => `line ${line}: ${text}`).join("\n") : found.kind,
);

await store.close();
await server.close();
rmSync(folder, { recursive: true });
