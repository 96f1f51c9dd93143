import { createAnthropic } from "@ai-sdk/anthropic";
import { jsonSchema, pruneMessages, stepCountIs, ToolLoopAgent, tool } from "ai";
import { keepModelMessages } from "../src/gauntlet/ai-sdk-turns.ts";
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
  return {
    turn: keepModelMessages({ home }, agent),
    close: async () => undefined,
  };
};
