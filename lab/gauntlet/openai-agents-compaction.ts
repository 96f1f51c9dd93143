import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Agent,
  type AgentInputItem,
  OpenAIProvider,
  OpenAIResponsesCompactionSession,
  Runner,
  type Session,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import type { OpenLoop } from "../src/gauntlet/contestant.ts";
import { INSTRUCTIONS, READ_FILE, readFile } from "../src/gauntlet/course-tool.ts";

/** The compaction session over a list on disk. It decides by itself when to compact: after ten new items. */
export const open: OpenLoop = async ({ url, model, home }) => {
  const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1` });
  const session = new OpenAIResponsesCompactionSession({
    client: client as never,
    model: model as never,
    compactionMode: "input",
    underlyingSession: fileSession(join(home, "items.json")),
  });
  const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses: true });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const agent = new Agent({
    name: "reader",
    instructions: INSTRUCTIONS,
    model,
    modelSettings: { store: false },
    tools: [
      tool({
        name: READ_FILE.name,
        description: READ_FILE.description,
        parameters: { ...READ_FILE.inputSchema, required: ["path"], additionalProperties: true },
        strict: false,
        execute: async (input) => readFile((input as { path: string }).path),
      }),
    ],
  });
  return {
    async turn(text) {
      const result = await runner.run(agent, text, { session, stream: true, maxTurns: 30 });
      await result.completed;
    },
    close: async () => undefined,
  };
};

function fileSession(file: string): Session {
  const read = (): AgentInputItem[] => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []);
  const write = (items: readonly AgentInputItem[]): void => writeFileSync(file, JSON.stringify(items));
  return {
    getSessionId: async () => "course",
    getItems: async (limit) => (limit === undefined ? read() : read().slice(-limit)),
    addItems: async (items) => write([...read(), ...items]),
    async popItem() {
      const items = read();
      const last = items.pop();
      write(items);
      return last;
    },
    clearSession: async () => write([]),
  };
}
