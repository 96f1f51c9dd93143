import type { Memory } from "@palimpsest/memory";
import type { Store } from "palimpsest";
import type { CommandContext, SlashCommand } from "../../extension/slash-command.ts";
import { browseTopics } from "./browse-topics.ts";
import { reviewProposals } from "./review-proposals.ts";

export interface MemoryCommandParts {
  readonly memory: Memory;
  readonly store: Pick<Store, "openReader">;
}

/** `/memory`. @param parts undefined if the settings turn the memory off */
export function memoryCommand(parts: MemoryCommandParts | undefined): SlashCommand {
  return {
    name: "memory",
    takes: "[inbox | list | show SLUG | search WORDS | dismiss SLUG | forget SLUG | log | undo COMMIT]",
    about: "review new memories; show the memory of this project",
    async open(context) {
      const { words, say, runCommand } = context;
      if (parts === undefined)
        return say('The memory is off. To turn it on, set "memory" to "read" or "on" in settings.json.');
      if (words === "") return openMemoryDialogs(parts, context);
      if (words === "inbox") return openInbox(parts, context);
      const args = words.split(/\s+/).filter(Boolean);
      if (args[0] === "serve")
        return say("/memory serve does not work here. Run palimpsest memory serve in a shell.", { color: "warning" });
      await runCommand("Reading the memory", "memory", args);
    },
  };
}

async function openInbox(parts: MemoryCommandParts, context: CommandContext): Promise<void> {
  const waiting = await parts.memory.inbox();
  if (waiting.length === 0) return context.say("No memory waits for your yes.");
  await reviewProposals({ ...parts, ...context });
}

/** What waits comes first, then the topics. */
async function openMemoryDialogs(parts: MemoryCommandParts, context: CommandContext): Promise<void> {
  const { memory } = parts;
  const reviewed = await reviewProposals({ ...parts, ...context });
  if (reviewed === "left") return;
  if ((await memory.list()).length === 0) return context.say("The memory is empty.");
  await browseTopics({ ...parts, ...context });
}
