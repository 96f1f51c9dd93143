import { entryText, readPayload } from "palimpsest/inspect";
import type { LogReader } from "palimpsest/store-parts";
import { type Checkpoints, createCheckpoints, type RewoundFiles } from "../extensions/checkpoints/checkpoints.ts";
import { filesText, shownFiles } from "../extensions/checkpoints/checkpoints-extension.ts";
import { loadSettings } from "../permissions/load-settings.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inSession, type Project } from "./open-project.ts";
import { countOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

const SHOWN_CHARACTERS = 60;

/** Undoes a user message and everything after it, in the conversation and in the files. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions rewind"]);
  const entryNumber = countOf("rewind", positionals[0]);
  return inSession(terminal, { id: values.session }, async (session, project) => {
    const log = (await project.store.openReader(session.id))!;
    const message = await findMessage(log, entryNumber);
    if (message === undefined) {
      if (entryNumber !== undefined) {
        throw new UsageError(
          `Entry ${entryNumber} is not one of your messages. To see the entry numbers: palimpsest sessions show ${session.id}`,
        );
      }
      await terminal.print(
        values.json ? JSON.stringify({ kind: "nothing" }) : "Nothing to rewind: the session has no message of yours.",
      );
      return EXIT.failed;
    }
    const { rewindFiles } = await openCheckpoints(project, session.id);
    // Rewinds the files first. After a crash between the two steps, the same command completes both.
    const files = await rewindFiles(message.entry - 1, session.history.newestEntry);
    await session.history.rewind(message.entry - 1, "palimpsest sessions rewind");
    const shown = shownFiles(files, project.folder);
    const rewound = { session: session.id, kind: "rewound", before: message.entry, text: message.text, ...shown };
    await terminal.print(values.json ? JSON.stringify(rewound) : toText(rewound));
    return EXIT.done;
  });
}

interface UserMessage {
  readonly entry: number;
  readonly text: string;
}

/** Finds the user's message with this number, or the newest message on the current branch. */
async function findMessage(log: LogReader, entryNumber: number | undefined): Promise<UserMessage | undefined> {
  let at = entryNumber ?? (await log.head()).sequence;
  for (;;) {
    const [entry] = await log.read(at, at);
    if (entry === undefined) return undefined;
    const { kind, payload } = readPayload(entry) as { kind: string; payload?: { readonly origin?: string } };
    if (kind === "message" && payload?.origin === "human") return { entry: at, text: entryText(entry) ?? "" };
    if (entryNumber !== undefined) return undefined;
    at = entry.parent;
  }
}

async function openCheckpoints({ folder, places }: Project, session: string): Promise<Checkpoints> {
  const { settings } = await loadSettings({ guard: await createPathGuard(folder), agentHome: places.agentHome });
  const guard = await createPathGuard(folder, settings.folders);
  return createCheckpoints({ sessionFolder: places.folderOf(session), guard });
}

interface Rewound extends RewoundFiles {
  readonly before: number;
  readonly text: string;
}

function toText({ before, text, ...files }: Rewound): string {
  const words = text.replaceAll(/\s+/g, " ").trim();
  const shown = words.length > SHOWN_CHARACTERS ? `${words.slice(0, SHOWN_CHARACTERS - 1)}…` : words;
  return [`Rewound to before entry ${before}: ${shown}`, ...filesText(files)].join("\n");
}
