import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { jsonSchema, type ModelMessage, pruneMessages, stepCountIs, ToolLoopAgent, tool } from "ai";
import type { OpenLoop } from "../src/gauntlet/contestant.ts";
import { INSTRUCTIONS, READ_FILE, readFile } from "../src/gauntlet/course-tool.ts";

/** An agent that prunes tool calls before each step, and persists its messages after each turn. */
export const open: OpenLoop = async ({ url, model, home }) => {
  const agent = new ToolLoopAgent({
    model: createAnthropic({ apiKey: "none", baseURL: `${url}/v1` })(model),
    instructions: INSTRUCTIONS,
    tools: {
      [READ_FILE.name]: tool({
        description: READ_FILE.description,
        inputSchema: jsonSchema<{ path: string }>(READ_FILE.inputSchema),
        execute: async ({ path }) => readFile(path),
      }),
    },
    stopWhen: stepCountIs(30),
    maxOutputTokens: 2_000,
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    prepareStep: ({ messages }) => ({
      messages: pruneMessages({ messages, toolCalls: "before-last-20-messages", emptyMessages: "remove" }),
    }),
  });
  const file = join(home, "messages.json");
  const list: ModelMessage[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  return {
    async turn(text) {
      const messages: ModelMessage[] = [...list, { role: "user", content: text }];
      const failures: unknown[] = [];
      const result = await agent.stream({ messages });
      await result.consumeStream({ onError: (error) => failures.push(error) });
      if (failures.length > 0) throw failures[0];
      list.push(messages.at(-1)!, ...(await result.responseMessages));
      writeFileSync(file, JSON.stringify(list));
    },
    close: async () => undefined,
  };
};
