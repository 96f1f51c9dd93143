/** One memory for all servers of a service: what one of them was told, another one knows. The "model" is a script here. */
import Anthropic from "@anthropic-ai/sdk";
import { type Memory, memoryTool, readStatements, recallTopics } from "@palimpsest/memory";
import { openPostgres, openPostgresMemory } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { attachment, openSession, query } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

const topic = {
  name: "pnpm, never npm",
  type: "feedback",
  fact: "Use pnpm, never npm.",
};
const simulator = await serve({
  faces: [
    createAnthropic({
      script: ({ userText, toolResults }) =>
        userText.includes("Please") && toolResults.length === 0
          ? callTools(callTool("Memory", { command: "save", ...topic, quote: "use pnpm here, never npm" }))
          : answer("Done."),
    }),
  ],
});
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: simulator.url, maxRetries: 0 }));
const database = await startDatabase();

/** A server of the service: its own pool, the same database. */
function startServer() {
  const pool = database.connect({ user: "service", database: "postgres" });
  const store = openPostgres({ pool }).store({ tenant: "customer-17" });
  const memory = openPostgresMemory({ pool, tenant: "customer-17", name: "user-3" });
  return {
    memory,
    async ask(prompt: string): Promise<boolean> {
      const session = await openSession({ store, provider, model: "claude-sonnet-5-5" });
      const said = async () =>
        (await readStatements((await store.openReader(session.id))!, 1, session.history.newestEntry)).said;
      const tools = [memoryTool({ memory, session: session.id, said })];
      const recalled = await recallTopics({ memory, words: prompt, shown: [], nowMs: Date.now() });
      if (recalled !== undefined) await session.append([attachment("recalled", recalled.text, { kind: "memory" })]);
      for await (const _ of query(session, { tools, prompt }));
      await session.close();
      return recalled !== undefined;
    },
  };
}

const [one, other] = [startServer(), startServer()];
await one.ask("Please use pnpm here, never npm.");
console.log(`recalled by another server: ${await other.ask("Should I use pnpm or npm?")}`);

const [kept] = await other.memory.list();
console.log(`remembered: ${kept?.description} (by ${kept?.author})`);
await undoNewest(other.memory);
console.log(`after an undo: ${(await one.memory.list()).length} topics`);
await Promise.all([one.memory.close(), other.memory.close(), simulator.close()]);
await database.stop();

async function undoNewest(memory: Memory): Promise<void> {
  const log = await memory.log(1);
  if (log.kind === "log") await memory.undo(log.commits[0]!.commit);
}
