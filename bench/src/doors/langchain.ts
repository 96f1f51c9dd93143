import { ChatAnthropic } from "@langchain/anthropic";
import {
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from "@langchain/core/messages";
import { palimpsest } from "@palimpsest/langchain"; // adopt
import { createAgent, tool } from "langchain";
import { z } from "zod";
import type { Door, DoorPlace } from "./door.ts";
import { countLines, versionsOf } from "./read-door.ts";
import { INSTRUCTIONS, readFile, TOOL } from "./simulated-model.ts";

/** An application that persists the messages of a LangChain agent, and streams every other answer. */
export const langchainDoor: Door = {
  name: "langchain",
  lines: countLines(import.meta.url),
  versions: versionsOf(import.meta.url, ["langchain", "@langchain/core", "@langchain/anthropic"]),
  async open({ saved = "[]", session, adopted, ...place }) {
    const context = adopted === "bare" ? undefined : adoptedContext(place);
    const agent = createAgent({
      model: new ChatAnthropic({
        model: place.model,
        apiKey: "none",
        anthropicApiUrl: place.url,
        maxTokens: 2_000,
        maxRetries: 0,
      }),
      tools: [
        tool(({ path }: { path: string }) => readFile(path), {
          name: TOOL.name,
          description: TOOL.description,
          schema: z.object({ path: z.string() }),
        }),
      ],
      systemPrompt: INSTRUCTIONS,
      middleware: context === undefined ? [] : [context], // adopt
    });
    const configurable = { thread_id: session }; // adopt
    let list = mapStoredMessagesToChatMessages(JSON.parse(saved) as StoredMessage[]);
    let turns = 0;
    return {
      async turn(text) {
        const messages = [...list, new HumanMessage(text)];
        if (turns++ % 2 === 0) list = (await agent.invoke({ messages }, { configurable })).messages as BaseMessage[];
        else {
          const modes: ["messages", "values"] = ["messages", "values"];
          for await (const [mode, chunk] of await agent.stream({ messages }, { configurable, streamMode: modes })) {
            if (mode === "values") list = (chunk as unknown as { messages: BaseMessage[] }).messages;
          }
        }
      },
      removeTurns(count) {
        const starts = list.flatMap((message, at) => (HumanMessage.isInstance(message) ? [at] : []));
        list = list.slice(0, starts.at(-count));
      },
      save: () => JSON.stringify(mapChatMessagesToStoredMessages(list)),
      close: async () => context?.close(),
    };
  },
};

function adoptedContext({ store, windowTokens, model }: Pick<DoorPlace, "store" | "windowTokens" | "model">) {
  return palimpsest({ store, models: { [model]: { windowTokens } }, settingsFrom: { environment: {} } }); // adopt
}
