import { readdir } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import Anthropic from "@anthropic-ai/sdk";
import { answer, callTool, callTools, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { openSession, query, recallFrom, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";

const listFiles = tool({
  name: "list_files",
  description: "Lists the files of this folder.",
  concurrency: "safe",
  inputSchema: { type: "object", properties: {} },
  execute: async () => (await readdir(".")).join("\n"),
});

const { client, close } = await connect();
const session = await openSession({
  id: "my-agent", // the same id continues the same conversation
  store: sqliteStore({ folder: "sessions" }),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  system: "You are a helpful assistant.",
});
const { messages } = await session.messages();
const earlier = messages.filter(({ origin }) => origin === "human").length;
if (earlier > 0) console.log(`Session ${session.id}: ${earlier} earlier message${earlier === 1 ? "" : "s"} of yours.`);

const given = process.argv.slice(2).join(" ");
if (given !== "") await turn(given);
else {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  for (;;) {
    const words = await terminal.question("> ").catch(() => "");
    if (words.trim() === "") break;
    await turn(words);
  }
  terminal.close();
}
await session.close();
await close();

/** One question and its answer, with as many tool calls as the model needs. */
async function turn(prompt: string): Promise<void> {
  for await (const event of query(session, { prompt, tools: [listFiles, recallFrom(session)] })) {
    if (event.kind === "text") process.stdout.write(event.text);
    if (event.kind === "turn-ended" && event.outcome.kind !== "done") console.log(event.outcome);
  }
  console.log(`\n(${session.view.size().percentLeft}% of the window left)`);
}

/** A real model if there is a key, else one that lists the files and says what it found. */
async function connect(): Promise<{ client: Anthropic; close(): Promise<void> }> {
  if (process.env.ANTHROPIC_API_KEY) return { client: new Anthropic(), close: async () => {} };
  console.log("No ANTHROPIC_API_KEY is set: a simulated model answers.");
  const server = await serve({
    faces: [
      createAnthropic({
        script: ({ toolResults }) =>
          toolResults.length === 0 ? callTools(callTool("list_files", {})) : answer(`I see:\n${toolResults[0]!.text}`),
      }),
    ],
  });
  return { client: new Anthropic({ apiKey: "none", baseURL: server.url }), close: () => server.close() };
}
