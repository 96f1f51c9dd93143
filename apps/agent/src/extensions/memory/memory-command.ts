import type { Memory } from "@palimpsest/memory";
import type { CommandContext, SlashCommand } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/clean-text.ts";
import { plain, plainLines } from "../../text/line.ts";
import { outcomeText } from "./outcome-text.ts";

/** `/memory`. @param memory undefined if the settings say that nothing is remembered */
export function memoryCommand(memory: Memory | undefined): SlashCommand {
  return {
    name: "memory",
    takes: "[inbox | show SLUG | search WORDS | forget SLUG | log | undo COMMIT]",
    about: "what is remembered of this project, and what waits for your yes",
    async open(context) {
      const { words, say, runCommand } = context;
      if (memory === undefined) return say("The settings say that nothing is remembered (memory: off).");
      if (words === "inbox") return judge(memory, context);
      const args = words.split(/\s+/).filter(Boolean);
      if (args[0] === "serve") return say("That is for other programs: palimpsest memory serve", { color: "warning" });
      await runCommand("Looking", "memory", args);
    },
  };
}

/** One after the other, until nothing waits or the user leaves. */
async function judge(memory: Memory, { ask, say }: CommandContext): Promise<void> {
  const proposals = await memory.inbox();
  if (proposals.length === 0) return say("Nothing waits for your yes.");
  for (const { slug, draft, by, why } of proposals) {
    const answer = await ask({
      title: `Keep this? ${slug} (${draft.type}, by ${by})`,
      body: [
        ...plainLines(cleanText(draft.description), { weight: "bold" }),
        ...plainLines(cleanText(draft.body)),
        [],
        plain(`It waits because ${cleanText(why)}`, { color: "quiet" }),
      ],
      options: [
        { value: "accept", label: "Yes, keep it" },
        { value: "reject", label: "No" },
        { value: "later", label: "Later" },
      ],
    });
    if (answer.kind !== "chosen") return;
    if (answer.values[0] === "accept") say(outcomeText(await memory.accept(slug)));
    if (answer.values[0] === "reject") {
      await memory.reject(slug);
      say(`${slug} is not kept.`);
    }
  }
}
