import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { palimpsest } from "@palimpsest/ai-sdk";
import { jsonSchema, stepCountIs, ToolLoopAgent, tool, wrapLanguageModel } from "ai";
import { sqliteStore } from "palimpsest/sqlite";
import { keepModelMessages } from "../ai-sdk-turns.ts";
import type { OpenLoop } from "../contestant.ts";
import { INSTRUCTIONS, READ_FILE, readFile } from "../course-tool.ts";

/** The loop of `ai-sdk-prune`, with our middleware instead of pruning. */
export const open: OpenLoop = async ({ url, model: name, windowTokens, home }) => {
  const store = sqliteStore({ folder: join(home, "sessions") });
  const middleware = palimpsest({ store, models: { [name]: { windowTokens } }, settingsFrom: { environment: {} } });
  const anthropic = createAnthropic({ apiKey: "none", baseURL: `${url}/v1` });
  const agent = new ToolLoopAgent({
    model: wrapLanguageModel({ model: anthropic(name), middleware }),
    instructions: INSTRUCTIONS,
    tools: {
      [READ_FILE.name]: tool({
        description: READ_FILE.description,
        inputSchema: jsonSchema<{ path: string }>(READ_FILE.inputSchema),
        execute: async ({ path }) => readFile(path),
      }),
      recall: middleware.recall,
    },
    stopWhen: stepCountIs(30),
    providerOptions: { palimpsest: { session: "course" } },
  });
  return {
    turn: keepModelMessages({ home }, agent),
    close: async () => {
      await middleware.close();
      await store.close();
    },
  };
};
