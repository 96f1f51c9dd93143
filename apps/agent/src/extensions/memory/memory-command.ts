import type { Memory } from "@palimpsest/memory";
import type { CommandContext, SlashCommand } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/clean-text.ts";
import { plain, plainLines } from "../../text/line.ts";
import { outcomeText } from "./outcome-text.ts";

/** `/memory`. @param memory undefined if the settings turn the memory off */
export function memoryCommand(memory: Memory | undefined): SlashCommand {
  return {
    name: "memory",
    takes: "[inbox | show SLUG | search WORDS | forget SLUG | log | undo COMMIT]",
    about: "show the memory of this project; review memories that wait for your approval",
    async open(context) {
      const { words, say, runCommand } = context;
      if (memory === undefined)
        return say('The memory is off. To turn it on, set "memory" to "read" or "on" in settings.json.');
      if (words === "inbox") return judge(memory, context);
      const args = words.split(/\s+/).filter(Boolean);
      if (args[0] === "serve")
        return say("/memory serve does not work here. Run palimpsest memory serve in a shell.", { color: "warning" });
      await runCommand("Reading the memory", "memory", args);
    },
  };
}

/** Shows one proposal after the other, until none waits or the user leaves. */
async function judge(memory: Memory, { ask, say }: CommandContext): Promise<void> {
  const proposals = await memory.inbox();
  if (proposals.length === 0) return say("No memory waits for your approval.");
  for (const { slug, draft, by, why } of proposals) {
    const answer = await ask({
      title: `Save this memory? ${slug} (${draft.type}, by ${by})`,
      body: [
        ...plainLines(cleanText(draft.description), { weight: "bold" }),
        ...plainLines(cleanText(draft.body)),
        [],
        plain(`It waits for your approval because ${cleanText(why)}`, { color: "quiet" }),
      ],
      options: [
        { value: "accept", label: "Yes, save it" },
        { value: "reject", label: "No" },
        { value: "later", label: "Later" },
      ],
    });
    if (answer.kind !== "chosen") return;
    if (answer.values[0] === "accept") say(outcomeText(await memory.accept(slug)));
    if (answer.values[0] === "reject") {
      await memory.reject(slug);
      say(`Rejected ${slug}.`);
    }
  }
}
