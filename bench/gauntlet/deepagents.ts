import type { BaseMessage } from "@langchain/core/messages";
import { createDeepAgent, FilesystemBackend } from "deepagents";
import type { OpenLoop } from "../src/gauntlet/contestant.ts";
import { INSTRUCTIONS } from "../src/gauntlet/course-tool.ts";
import { keepMessages, WindowedChat } from "./langchain-loop.ts";

const RECURSION_LIMIT = 100;

/** The whole harness with its own tools, over the files of the course. What it sets aside goes into files there, too. */
export const open: OpenLoop = async (place) => {
  const agent = createDeepAgent({
    model: new WindowedChat(place),
    systemPrompt: INSTRUCTIONS,
    backend: new FilesystemBackend({ rootDir: place.workspace, virtualMode: false }),
  });
  return keepMessages(place, async (messages) => {
    const { messages: after } = await agent.invoke({ messages }, { recursionLimit: RECURSION_LIMIT });
    return after as BaseMessage[];
  });
};
