import { outcomeText } from "../../commands/compact.ts";
import { filesText, shownFiles } from "../../commands/rewind.ts";
import type { CommandContext, SlashCommand } from "../../extension/slash-command.ts";
import { readTranscript } from "../../terminal/transcript/read-transcript.ts";
import { plain } from "../../text/line.ts";

/** What can be done at a message. */
const WAYS = [
  { value: "both", label: "Take back the conversation and the files" },
  { value: "conversation", label: "Only the conversation", about: "files stay as they are" },
  { value: "files", label: "Only the files", about: "as they were before this message" },
  { value: "from", label: "Summarize from here on", about: "what stands before stays in the cache" },
  { value: "up-to", label: "Summarize up to here", about: "what comes behind stays word for word" },
] as const;

export const rewind: SlashCommand = {
  name: "rewind",
  about: "back to before one of your messages: conversation, files or both (esc esc)",
  async open(context) {
    const { agent, project, ask, say } = context;
    const log = (await project.store.openReader(agent.session.id))!;
    const messages = (await readTranscript(log)).filter(({ who, seen }) => who === "you" && seen !== "taken-back");
    if (messages.length === 0) return say("Nothing was said yet.");
    const chosen = await ask({
      ...{ title: "Back to before which message?", body: [], shown: "searched" },
      options: messages.toReversed().map(({ entry, text, seen }) => ({
        ...{ value: String(entry), label: text.replaceAll(/\s+/g, " ").trim() },
        ...(seen === "folded" ? { about: "folded" } : {}),
      })),
    });
    const message = messages.find(({ entry }) => chosen.kind === "chosen" && chosen.values[0] === String(entry));
    if (message === undefined) return;
    const title = message.text.replaceAll(/\s+/g, " ").trim();
    const answer = await ask({ title: "What is to be done?", body: [plain(`> ${title}`)], options: WAYS });
    const way = WAYS.find(({ value }) => answer.kind === "chosen" && answer.values[0] === value)?.value;
    if (way !== undefined) await go(way, message, context);
  },
};

async function go(
  way: (typeof WAYS)[number]["value"],
  { entry, text }: { readonly entry: number; readonly text: string },
  { agent: { session, rewindFiles }, project, during, prompt, say }: CommandContext,
): Promise<void> {
  if (way === "from" || way === "up-to") {
    const range = way === "from" ? { from: entry } : { upTo: entry };
    const outcome = await during("Compacting", (signal) => session.compact({ signal, ...range }));
    if (outcome.kind !== "compacted") say(outcomeText(outcome), { colour: "warning" });
    return;
  }
  const lines: string[] = [];
  // Files first: if it ends between the two, the same command does the rest.
  if (way !== "conversation") {
    const files = shownFiles(await rewindFiles(entry - 1, session.history.newestEntry), project.folder);
    const told = filesText(files);
    lines.push(...(told.length === 0 ? ["No file was changed since."] : told));
  }
  if (way !== "files") {
    await session.history.rewind(entry - 1, "/rewind");
    lines.unshift(`Back to before entry ${entry}. What was taken back stays in the transcript.`);
    prompt(text);
  }
  say(lines.join("\n"), { colour: "warning" });
}
