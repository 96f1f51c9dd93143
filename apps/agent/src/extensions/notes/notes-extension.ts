import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { AgentSession, AgentSessionOptions } from "../../extension/open-agent-session.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";
import { readNotesFiles } from "./notes-files.ts";

export interface NotesExtension extends Extension {
  /** The user's own template and prompt, and where the notes are written. */
  readonly notes: NonNullable<AgentSessionOptions["notes"]>;
}

/** The session's notes as a file that people read: a copy, since the log has every version. */
export function notesFileOf(sessionFolder: string): string {
  return join(sessionFolder, "notes.md");
}

/** The session's notes: with the user's own template and prompt, and in a file beside the session's other files. */
export async function notesExtension({
  places,
  sessionFolder,
  notify,
}: Pick<ExtensionContext, "places" | "sessionFolder" | "notify">): Promise<NotesExtension> {
  const { problems, ...texts } = await readNotesFiles(places);
  const path = notesFileOf(sessionFolder);
  let session: AgentSession | undefined;
  /** The content of the file; undefined if there is none. */
  let written: string | undefined;
  let failure: "none" | "reported" = "none";
  let inOrder: Promise<void> = Promise.resolve();

  async function copyNewest(): Promise<void> {
    const markdown = (await session?.notes.latest())?.markdown;
    if (markdown === written) return;
    if (markdown === undefined) await rm(path, { force: true });
    else await writePrivateFile(path, markdown);
    written = markdown;
  }

  function report(error: unknown): void {
    // A session that is closed meanwhile has lost nothing: its next start copies the notes.
    if (failure === "reported" || session?.signal.aborted === true) return;
    failure = "reported";
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    notify(`Cannot write the session's notes to ${path} (${why}). The log has them: /notes shows them.`);
  }

  /** Reads the newest version when its turn comes, so a slow copy never replaces a newer one. */
  function copy(): Promise<void> {
    inOrder = inOrder.then(copyNewest).catch(report);
    return inOrder;
  }

  return {
    name: "notes",
    problems,
    notes: { ...texts, write: copy },
    async begin(own) {
      session = own;
      written = await readFile(path, "utf8").catch(() => undefined);
      await copy();
    },
    // A rewind brings earlier notes back.
    afterTurn: copy,
    close: () => inOrder,
  };
}
