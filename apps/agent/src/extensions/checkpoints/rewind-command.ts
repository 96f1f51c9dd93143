import type { ExtensionContext } from "../../extension/context.ts";
import type { CommandContext, SlashCommand } from "../../extension/slash-command.ts";
import { plain } from "../../text/line.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import { readTranscript } from "../../workspace/read-transcript.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { filesText, shownFiles } from "./rewound-text.ts";

/** What can be done at a message. */
const WAYS = [
  { value: "both", label: "Take back the conversation and the files" },
  { value: "conversation", label: "Only the conversation", about: "files stay as they are" },
  { value: "files", label: "Only the files", about: "as they were before this message" },
  { value: "from", label: "Summarize from here on", about: "what stands before stays in the cache" },
  { value: "up-to", label: "Summarize up to here", about: "what comes behind stays word for word" },
] as const;

type RewindContext = Pick<ExtensionContext, "folder" | "store">;

/** `/rewind`: back to before a message of the user, in the conversation, the files, or both. */
export function rewindCommand(context: RewindContext, rewindFiles: Checkpoints["rewindFiles"]): SlashCommand {
  return {
    name: "rewind",
    about: "back to before one of your messages: conversation, files or both (esc esc)",
    async open(screen) {
      const { session, ask, say } = screen;
      const log = (await context.store.openReader(session.id))!;
      const messages = (await readTranscript(log)).filter(({ who, seen }) => who === "you" && seen !== "taken-back");
      if (messages.length === 0) return say("Nothing was said yet.");
      const options = messages.toReversed().map(({ entry, text, seen }) => ({
        value: String(entry),
        label: oneLine(text),
        ...(seen === "folded" ? { about: "folded" } : {}),
      }));
      const chosen = await ask({ title: "Back to before which message?", body: [], shown: "searched", options });
      const message = messages.find(({ entry }) => chosen.kind === "chosen" && chosen.values[0] === String(entry));
      if (message === undefined) return;
      const body = [plain(`> ${oneLine(message.text)}`)];
      const answer = await ask({ title: "What is to be done?", body, options: WAYS });
      const way = WAYS.find(({ value }) => answer.kind === "chosen" && answer.values[0] === value)?.value;
      if (way === "from" || way === "up-to") await summarize(way, message, screen);
      else if (way !== undefined) await goBack(way, message);

      /** Files first: if it ends between the two, the same command does the rest. */
      async function goBack(way: "both" | "conversation" | "files", { entry, text }: Message): Promise<void> {
        const lines: string[] = [];
        if (way !== "conversation") {
          const files = shownFiles(await rewindFiles(entry - 1, session.history.newestEntry), context.folder);
          const told = filesText(files);
          lines.push(...(told.length === 0 ? ["No file was changed since."] : told));
        }
        if (way !== "files") {
          await session.history.rewind(entry - 1, "/rewind");
          lines.unshift(`Back to before entry ${entry}. What was taken back stays in the transcript.`);
          screen.prompt(text);
        }
        say(lines.join("\n"), { color: "warning" });
      }
    },
  };
}

interface Message {
  readonly entry: number;
  readonly text: string;
}

async function summarize(
  way: "from" | "up-to",
  { entry }: Message,
  { session, during, say }: CommandContext,
): Promise<void> {
  const range = way === "from" ? { from: entry } : { upTo: entry };
  const outcome = await during("Compacting", (signal) => session.compact({ signal, ...range }));
  if (outcome.kind !== "compacted") say(outcomeText(outcome), { color: "warning" });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
