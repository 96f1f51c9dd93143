import type { Memory } from "@palimpsest/memory";
import type { CommandContext, SlashCommand } from "../../extension/slash-command.ts";
import { asTerminal } from "../../terminal/commands/as-terminal.ts";
import { cleanText } from "../../text/clean-text.ts";
import { plain, plainLines } from "../../text/line.ts";

export const memory: SlashCommand = {
  name: "memory",
  takes: "[inbox | show SLUG | search WORDS | forget SLUG | log | undo COMMIT]",
  about: "what is remembered of this project, and what waits for your yes",
  async open(context) {
    const { agent, words, during, say } = context;
    if (agent.memory === undefined) return say("The settings say that nothing is remembered (memory: off).");
    if (words === "inbox") return judge(agent.memory, context);
    const args = words.split(/\s+/).filter(Boolean);
    if (args[0] === "serve") return say("That is for other programs: palimpsest memory serve", { colour: "warning" });
    const { run } = await import("../../commands/memory.ts");
    await during("Looking", (signal, progress) => run(args, asTerminal(context, signal, progress)));
  },
};

/** One after the other, until nothing waits or the user leaves. */
async function judge(kept: Memory, { ask, say }: CommandContext): Promise<void> {
  const { outcomeText } = await import("../../commands/memory.ts");
  const proposals = await kept.inbox();
  if (proposals.length === 0) return say("Nothing waits for your yes.");
  for (const { slug, draft, by, why } of proposals) {
    const answer = await ask({
      title: `Keep this? ${slug} (${draft.type}, by ${by})`,
      body: [
        ...plainLines(cleanText(draft.description), { weight: "bold" }),
        ...plainLines(cleanText(draft.body)),
        [],
        plain(`It waits because ${cleanText(why)}`, { colour: "quiet" }),
      ],
      options: [
        { value: "accept", label: "Yes, keep it" },
        { value: "reject", label: "No" },
        { value: "later", label: "Later" },
      ],
    });
    if (answer.kind !== "chosen") return;
    if (answer.values[0] === "accept") say(outcomeText(await kept.accept(slug)));
    if (answer.values[0] === "reject") {
      await kept.reject(slug);
      say(`${slug} is not kept.`);
    }
  }
}
