import { Agent, type AgentInputItem, OpenAIProvider, Runner, tool, user } from "@openai/agents";
import { palimpsest } from "@palimpsest/openai-agents"; // adopt
import OpenAI from "openai";
import type { Door, DoorPlace } from "./door.ts";
import { countLines, versionsOf } from "./read-door.ts";
import { INSTRUCTIONS, readFile, TOOL } from "./simulated-model.ts";

/** An application that persists the history of an agent on the OpenAI Agents SDK, and streams every other answer. */
export const openaiAgentsDoor: Door = {
  name: "openai-agents",
  service: "responses",
  lines: countLines(import.meta.url),
  versions: versionsOf(import.meta.url, ["@openai/agents", "openai"]),
  async open({ saved = "[]", session, adopted, ...place }) {
    const client = new OpenAI({ apiKey: "none", baseURL: `${place.url}/v1`, maxRetries: 2 });
    const provider = new OpenAIProvider({ openAIClient: client as never, useResponses: true });
    const context = adopted === "bare" ? undefined : adoptedContext(place);
    const modelProvider = context === undefined ? provider : context.models(provider, session); // adopt
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const agent = new Agent({
      name: "reader",
      instructions: INSTRUCTIONS,
      model: place.model,
      modelSettings: { reasoning: { effort: "low" } },
      tools: [
        tool({
          name: TOOL.name,
          description: TOOL.description,
          parameters: { ...TOOL.inputSchema, required: ["path"], additionalProperties: true },
          strict: false,
          execute: async (input) => readFile((input as { path: string }).path),
        }),
      ],
    });
    let list = JSON.parse(saved) as AgentInputItem[];
    let turns = 0;
    return {
      async turn(text) {
        const items = [...list, user(text)];
        if (turns++ % 2 === 0) list = (await runner.run(agent, items)).history;
        else {
          const result = await runner.run(agent, items, { stream: true });
          for await (const _ of result);
          await result.completed;
          list = result.history;
        }
      },
      removeTurns(count) {
        const starts = list.flatMap((item, at) => ("role" in item && item.role === "user" ? [at] : []));
        list = list.slice(0, starts.at(-count));
      },
      save: () => JSON.stringify(list),
      close: async () => context?.close(),
    };
  },
};

function adoptedContext({ store, windowTokens, model }: Pick<DoorPlace, "store" | "windowTokens" | "model">) {
  return palimpsest({ store, models: { [model]: { windowTokens } }, settingsFrom: { environment: {} } }); // adopt
}
