import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { Memory } from "@mastra/memory";
import { z } from "zod";
import type { OpenLoop } from "../src/gauntlet/contestant.ts";
import { INSTRUCTIONS, READ_FILE, readFile } from "../src/gauntlet/course-tool.ts";

/** An agent with observational memory in a database on disk. The observer is the same model. */
export const open: OpenLoop = async ({ url, model: name, windowTokens, home }) => {
  const model = createAnthropic({ apiKey: "none", baseURL: `${url}/v1` })(name) as never;
  const agent = new Agent({
    id: "reader",
    name: "reader",
    instructions: INSTRUCTIONS,
    model,
    tools: {
      [READ_FILE.name]: createTool({
        id: READ_FILE.name,
        description: READ_FILE.description,
        inputSchema: z.object({ path: z.string() }),
        execute: async ({ path }) => readFile(path),
      }),
    },
    memory: new Memory({
      storage: new LibSQLStore({ id: "memory", url: `file:${join(home, "memory.db")}` }),
      options: {
        observationalMemory: {
          model,
          observation: { messageTokens: Math.round(0.4 * windowTokens), modelSettings: { maxOutputTokens: 8_000 } },
          reflection: { observationTokens: Math.round(0.3 * windowTokens), modelSettings: { maxOutputTokens: 8_000 } },
        },
      },
    }),
  });
  const options = {
    maxSteps: 30,
    memory: { thread: "course", resource: "gauntlet" },
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
  } as const;
  return {
    async turn(text) {
      const result = await agent.stream(text, options);
      await result.consumeStream();
      if (result.error !== undefined) throw result.error;
    },
    close: async () => undefined,
  };
};
