import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { openSession, query, recallFrom, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";
import type { OpenLoop } from "../contestant.ts";
import { INSTRUCTIONS, READ_FILE, readFile } from "../course-tool.ts";

const read = tool({
  name: READ_FILE.name,
  description: READ_FILE.description,
  inputSchema: READ_FILE.inputSchema,
  execute: async (input) => readFile((input as { path: string }).path),
});

/** The library's own loop, with default settings, a store on disk and the recall tool. */
export const open: OpenLoop = async ({ url, model, windowTokens, home }) => {
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  const provider = anthropic(client, { models: { [model]: { windowTokens } } });
  const store = sqliteStore({ folder: join(home, "sessions") });
  const settingsFrom = { environment: {} };
  const session = await openSession({
    store,
    id: "course",
    provider,
    model,
    system: INSTRUCTIONS,
    takeover: "always",
    settingsFrom,
  });
  const tools = [read, recallFrom(session)];
  return {
    async turn(prompt) {
      for await (const event of query(session, { prompt, tools })) {
        if (event.kind === "turn-ended" && event.outcome.kind !== "done") {
          throw new Error(JSON.stringify(event.outcome));
        }
      }
    },
    async close() {
      await session.close();
      await store.close();
    },
  };
};
