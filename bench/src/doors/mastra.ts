import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import { palimpsest } from "@palimpsest/mastra"; // adopt
import { z } from "zod";
import type { Door, DoorPlace } from "./door.ts";
import { countLines, versionsOf } from "./read-door.ts";
import { INSTRUCTIONS, readFile, TOOL } from "./simulated-model.ts";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** An application that persists the messages of a Mastra agent, and streams every other answer. */
export const mastraDoor: Door = {
  name: "mastra",
  lines: countLines(import.meta.url),
  versions: versionsOf(import.meta.url, ["@mastra/core", "@ai-sdk/anthropic"]),
  async open({ saved = "[]", session, adopted, ...place }) {
    const context = adopted === "bare" ? undefined : adoptedContext({ ...place, session });
    const agent = new Agent({
      id: "reader",
      name: "reader",
      instructions: INSTRUCTIONS,
      model: createAnthropic({ apiKey: "none", baseURL: `${place.url}/v1` })(place.model) as MastraModelConfig,
      tools: {
        [TOOL.name]: createTool({
          id: TOOL.name,
          description: TOOL.description,
          inputSchema: z.object({ path: z.string() }),
          execute: async ({ path }) => readFile(path),
        }),
      },
      inputProcessors: context === undefined ? [] : [context], // adopt
    });
    const limits = { maxSteps: 8, modelSettings: { maxRetries: 0 } };
    let list = JSON.parse(saved) as Message[];
    let turns = 0;
    return {
      async turn(text) {
        list.push({ role: "user", content: text });
        const input = list as never;
        const isStreamed = turns++ % 2 === 1;
        const result = isStreamed ? await agent.stream(input, limits) : await agent.generate(input, limits);
        await result.text;
        const { messages } = (await result.response) as unknown as { messages: Message[] };
        list.push(...messages);
      },
      removeTurns(count) {
        const starts = list.flatMap(({ role }, at) => (role === "user" ? [at] : []));
        list = list.slice(0, starts.at(-count));
      },
      save: () => JSON.stringify(list),
      close: async () => context?.close(),
    };
  },
};

function adoptedContext({ store, windowTokens, model, session }: Omit<DoorPlace, "url" | "adopted" | "saved">) {
  const models = { [model]: { windowTokens } };
  return palimpsest({ store, models, session: () => session, settingsFrom: { environment: {} } }); // adopt
}
