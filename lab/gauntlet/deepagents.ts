import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent, FilesystemBackend } from "deepagents";
import type { OpenLoop } from "../src/gauntlet/contestant.ts";
import { INSTRUCTIONS } from "../src/gauntlet/course-tool.ts";
import { WindowedChat } from "./langchain-loop.ts";

const RECURSION_LIMIT = 100;

/**
 * The whole harness with its own tools, over the files of the course. What it sets aside goes into files there, too. What it has
 * summarized is private state of its graph, so it needs a checkpointer; the application writes that to disk after each turn.
 */
export const open: OpenLoop = async (place) => {
  const file = join(place.home, "checkpoints");
  const checkpointer = new MemorySaver();
  if (existsSync(file)) Object.assign(checkpointer, deserialize(readFileSync(file)));
  const agent = createDeepAgent({
    model: new WindowedChat(place),
    systemPrompt: INSTRUCTIONS,
    backend: new FilesystemBackend({ rootDir: place.workspace, virtualMode: false }),
    checkpointer,
  });
  const options = {
    configurable: { thread_id: "course" },
    recursionLimit: RECURSION_LIMIT,
    // One checkpoint a turn: those between would only fill memory.
    durability: "exit",
  } as const;
  return {
    async turn(text) {
      await agent.invoke({ messages: [{ role: "user", content: text }] }, options);
      writeFileSync(file, serialize({ storage: checkpointer.storage, writes: checkpointer.writes }));
    },
    close: async () => undefined,
  };
};
