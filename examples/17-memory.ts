/** What a user says once is known in every later session. Here the "model" is a script; with a key, it decides by itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { createExtractions, memoryTool, openMemory, readStatements } from "@palimpsest/memory";
import { answer, callTool, callTools, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { attachment, memoryStore, openSession, query } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

const topic = {
  name: "pnpm, never npm",
  type: "feedback",
  fact: "Use pnpm, never npm.",
};
const server = await serve({
  faces: [
    createAnthropic({
      script: ({ request, toolResults }) =>
        JSON.stringify(request).includes("a task beside the conversation") && toolResults.length === 0
          ? callTools(callTool("Memory", { command: "save", ...topic, quote: "use pnpm here, never npm" }))
          : answer("Done."),
    }),
  ],
});
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
const store = memoryStore();

// The memory starts here.
const folder = mkdtempSync(join(tmpdir(), "memory-"));
const memory = await openMemory({ folder });
const session = await openSession({
  store,
  provider,
  model: "claude-sonnet-5-5",
});
const said = async () =>
  (await readStatements((await store.openReader(session.id))!, 1, session.history.newestEntry)).said;
const tools = [memoryTool({ memory, session: session.id, said })];
// By default, extractions cost at most 3% of a session and wait until the session has cost enough. This session is too short.
const { afterTurn, drain } = createExtractions({ memory, store, tools, readOnlyTools: [], maxCostPercent: 100 });
for await (const _ of query(session, { tools, afterTurn, prompt: "Please use pnpm here, never npm." }));
await drain(10_000);

const next = await openSession({ store, provider, model: "claude-sonnet-5-5" });
await next.append([
  attachment("memory-index", (await memory.head()) ?? "Nothing yet.", { kind: "memory" }),
  "Install the dependencies.",
]);

const [kept] = await memory.list();
console.log(`remembered: ${kept?.description} (by ${kept?.author})`);
console.log(`in the next session: ${JSON.stringify(await next.prepare()).includes("Use pnpm")}`);
await Promise.all([session.close(), next.close(), memory.close(), server.close()]);
rmSync(folder, { recursive: true });
