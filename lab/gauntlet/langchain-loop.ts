import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ChatAnthropic } from "@langchain/anthropic";
import {
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { type AgentMiddleware, anthropicPromptCachingMiddleware, createAgent, tool } from "langchain";
import { z } from "zod";
import type { Loop, OpenLoop, Place } from "../src/gauntlet/contestant.ts";
import { INSTRUCTIONS, READ_FILE, readFile } from "../src/gauntlet/course-tool.ts";

const RECURSION_LIMIT = 100;

/** The client, which knows the window that the course gives. */
export class WindowedChat extends ChatAnthropic {
  readonly #windowTokens: number;

  constructor({ url, model, windowTokens }: Place) {
    super({ model, apiKey: "none", anthropicApiUrl: url, maxTokens: 2_000, streaming: true });
    this.#windowTokens = windowTokens;
  }

  override get profile(): { maxInputTokens: number } {
    return { maxInputTokens: this.#windowTokens };
  }
}

/** An agent of LangChain with its prompt caching and one middleware more. */
export function openLangchain(middleware: (model: ChatAnthropic, place: Place) => AgentMiddleware): OpenLoop {
  return async (place) => {
    const model = new WindowedChat(place);
    const read = tool(({ path }: { path: string }) => readFile(path), {
      name: READ_FILE.name,
      description: READ_FILE.description,
      schema: z.object({ path: z.string() }),
    });
    const agent = createAgent({
      model,
      tools: [read],
      systemPrompt: INSTRUCTIONS,
      middleware: [middleware(model, place), anthropicPromptCachingMiddleware()],
    });
    return keepMessages(place, async (messages) => {
      const { messages: after } = await agent.invoke({ messages }, { recursionLimit: RECURSION_LIMIT });
      return after as BaseMessage[];
    });
  };
}

/** A loop around an agent that takes the list of messages and returns it; the application persists it after each turn. */
export function keepMessages({ home }: Place, run: (messages: BaseMessage[]) => Promise<BaseMessage[]>): Loop {
  const file = join(home, "messages.json");
  let list = existsSync(file) ? mapStoredMessagesToChatMessages(JSON.parse(readFileSync(file, "utf8"))) : [];
  return {
    async turn(text) {
      list = await run([...list, new HumanMessage(text)]);
      writeFileSync(file, JSON.stringify(mapChatMessagesToStoredMessages(list)));
    },
    close: async () => undefined,
  };
}
