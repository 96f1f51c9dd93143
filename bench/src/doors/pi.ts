import { Agent, type AgentMessage } from "@earendil-works/pi-agent-core";
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { palimpsest } from "@palimpsest/pi"; // adopt
import type { Door, DoorPlace } from "./door.ts";
import { countLines, versionsOf } from "./read-door.ts";
import { INSTRUCTIONS, readFile, TOOL } from "./simulated-model.ts";

/** An application that persists the transcript of an agent on pi-agent-core. */
export const piDoor: Door = {
  name: "pi",
  lines: countLines(import.meta.url),
  versions: versionsOf(import.meta.url, ["@earendil-works/pi-agent-core", "@earendil-works/pi-ai"]),
  async open({ saved = "[]", session, adopted, store, ...place }) {
    const context = adopted === "bare" ? undefined : palimpsest({ store, settingsFrom: { environment: {} } }); // adopt
    const plain = anthropicMessagesApi().streamSimple;
    const streamFn = context === undefined ? plain : context.stream(plain); // adopt
    const agent = new Agent({
      initialState: {
        systemPrompt: INSTRUCTIONS,
        model: modelAt(place),
        thinkingLevel: "low",
        tools: [
          {
            name: TOOL.name,
            label: TOOL.name,
            description: TOOL.description,
            parameters: TOOL.inputSchema as never,
            execute: async (_, input) => ({
              content: [{ type: "text", text: readFile((input as { path: string }).path) }],
              details: undefined,
            }),
          },
        ],
      },
      getApiKey: () => "none",
      sessionId: session, // adopt
      streamFn,
    });
    const list = JSON.parse(saved) as AgentMessage[];
    if (list.length > 0) agent.state.messages = list;
    return {
      async turn(text) {
        await agent.prompt(text);
        const last = agent.state.messages.at(-1);
        if (last?.role === "assistant" && last.errorMessage !== undefined) throw new Error(last.errorMessage);
      },
      removeTurns(count) {
        const { messages } = agent.state;
        const starts = messages.flatMap(({ role }, at) => (role === "user" ? [at] : []));
        agent.state.messages = messages.slice(0, starts.at(-count));
      },
      save: () => JSON.stringify(agent.state.messages),
      close: async () => context?.close(),
    };
  },
};

/** pi's agents know the window of their model. */
function modelAt({ url, model, windowTokens }: Pick<DoorPlace, "url" | "model" | "windowTokens">) {
  return {
    id: model,
    name: model,
    api: "anthropic-messages" as const,
    provider: "anthropic",
    baseUrl: url,
    reasoning: true,
    input: ["text" as const],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: windowTokens,
    maxTokens: 8_000,
    compat: { forceAdaptiveThinking: true },
  };
}
