import { relative } from "node:path";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { CommandContext, SlashCommand } from "../../extension/slash-command.ts";
import { plain } from "../../text/line.ts";
import { outcomeText } from "../../text/plain-names.ts";
import { readTranscript } from "../../workspace/read-transcript.ts";
import { type Checkpoints, createCheckpoints, type RewoundFiles } from "./checkpoints.ts";

interface CheckpointsExtension extends Extension, Checkpoints {}

/** Saves files before tools change them, and restores them for `/rewind`. */
export function checkpointsExtension(
  context: Pick<ExtensionContext, "sessionFolder" | "guard" | "folder" | "store">,
): CheckpointsExtension {
  const { sessionFolder, guard } = context;
  const { keepBefore, rewindFiles } = createCheckpoints({ sessionFolder, guard });
  return { name: "checkpoints", keepBefore, rewindFiles, commands: [rewindCommand(context, rewindFiles)] };
}

/** The user's choices for a message. */
const WAYS = [
  { value: "both", label: "Rewind the conversation and the files" },
  { value: "conversation", label: "Rewind only the conversation", about: "files stay unchanged" },
  { value: "files", label: "Rewind only the files", about: "to before this message" },
  { value: "from", label: "Compact from here on", about: "earlier messages stay in the cache" },
  { value: "up-to", label: "Compact up to here", about: "later messages stay word for word" },
] as const;

type RewindContext = Pick<ExtensionContext, "folder" | "store">;

/** `/rewind` goes back to before a user message: the conversation, the files, or both. */
function rewindCommand(context: RewindContext, rewindFiles: Checkpoints["rewindFiles"]): SlashCommand {
  return {
    name: "rewind",
    about: "go back to an earlier message: conversation, files or both",
    async open(screen) {
      const { session, ask, say } = screen;
      const log = (await context.store.openReader(session.id))!;
      const messages = (await readTranscript(log)).filter(({ who, seen }) => who === "you" && seen !== "taken-back");
      if (messages.length === 0) return say("Nothing to rewind: you have sent no message yet.");
      const options = messages.toReversed().map(({ entry, text, seen }) => ({
        value: String(entry),
        label: oneLine(text),
        ...(seen === "compacted" ? { about: "compacted" } : {}),
      }));
      const chosen = await ask({ title: "Choose the message to go back to", body: [], shown: "searched", options });
      const message = messages.find(({ entry }) => chosen.kind === "chosen" && chosen.values[0] === String(entry));
      if (message === undefined) return;
      const body = [plain(`> ${oneLine(message.text)}`)];
      const answer = await ask({ title: "Go back to before this message", body, options: WAYS });
      const way = WAYS.find(({ value }) => answer.kind === "chosen" && answer.values[0] === value)?.value;
      if (way === "from" || way === "up-to") await summarize(way, message, screen);
      else if (way !== undefined) await goBack(way, message);

      /** Rewinds the files first. After a crash between the two steps, the same command completes both. */
      async function goBack(way: "both" | "conversation" | "files", { entry, text }: Message): Promise<void> {
        const lines: string[] = [];
        if (way !== "conversation") {
          const files = shownFiles(await rewindFiles(entry - 1, session.history.newestEntry), context.folder);
          const fileLines = filesText(files);
          lines.push(...(fileLines.length === 0 ? ["No file has changed since."] : fileLines));
        }
        if (way !== "files") {
          await session.history.rewind(entry - 1, "/rewind");
          lines.unshift(`Rewound to before entry ${entry}. The transcript (ctrl-o) still shows the removed messages.`);
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

/** Makes paths relative to the project folder. */
export function shownFiles({ restored, removed, changedByOthers }: RewoundFiles, folder: string): RewoundFiles {
  const shown = (paths: readonly string[]) => paths.map((path) => relative(folder, path));
  return { restored: shown(restored), removed: shown(removed), changedByOthers: shown(changedByOthers) };
}

/** Describes what happened to each file, one line each. */
export function filesText({ restored, removed, changedByOthers }: RewoundFiles): readonly string[] {
  return [
    ...restored.map((path) => `restored ${path}`),
    ...removed.map((path) => `removed ${path}`),
    ...changedByOthers.map((path) => `kept ${path}: something else has changed it since`),
  ];
}
