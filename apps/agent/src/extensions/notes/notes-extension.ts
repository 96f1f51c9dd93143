import { constants } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { readNotesTemplate } from "palimpsest";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { AgentSession, AgentSessionOptions } from "../../extension/open-agent-session.ts";
import type { Places } from "../../workspace/places.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";

interface NotesExtension extends Extension {
  /** The user's own template and prompt, and the writer of the notes file. */
  readonly notes: NonNullable<AgentSessionOptions["notes"]>;
}

/** The path of the session's notes file. People read this copy; the log has every version. */
export function notesFileOf(sessionFolder: string): string {
  return join(sessionFolder, "notes.md");
}

/** Adds the session's notes, with the user's own template and prompt, and a copy in a file of the session. */
export async function notesExtension({
  places,
  sessionFolder,
  notify,
}: Pick<ExtensionContext, "places" | "sessionFolder" | "notify">): Promise<NotesExtension> {
  const { problems, ...texts } = await readNotesFiles(places);
  const path = notesFileOf(sessionFolder);
  let session: AgentSession | undefined;
  /** The file's content. Undefined without a file. */
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
    // A session that closed during the write has lost nothing, because its next start copies the notes.
    if (failure === "reported" || session?.signal.aborted === true) return;
    failure = "reported";
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    notify(`Cannot write the session's notes to ${path} (${why}). The log has them: /notes shows them.`);
  }

  /** Copies the newest version when its turn comes, so a slow copy never replaces a newer one. */
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
    // A rewind restores earlier notes.
    afterTurn: copy,
    close: () => inOrder,
  };
}

/** The user's own texts for session notes. */
interface NotesFiles {
  /** The note sections. @default the built-in sections */
  readonly template?: string;
  /** The prompt for the model that updates the notes. @default the built-in prompt */
  readonly prompt?: string;
  /** Why a file cannot be used, and what to do. One text for each file. */
  readonly problems: readonly string[];
}

/** The size limit of a file. The model reads the prompt and the template at every update. */
const MAX_BYTES = 16_384;

/** Windows does not have O_NONBLOCK. Opening a named pipe must not wait for its writer. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Reads `notes-template.md` and `notes-prompt.md` from the agent's folder in the user's home. A project cannot set
 * these files, because the prompt speaks to the model with the host's authority. Reports and leaves out a file that
 * cannot be used.
 */
export async function readNotesFiles({
  notesTemplate,
  notesPrompt,
}: Pick<Places, "notesTemplate" | "notesPrompt">): Promise<NotesFiles> {
  const [template, prompt] = await Promise.all([
    readText(notesTemplate, (text) => {
      const read = readNotesTemplate(text);
      return read.kind === "unusable" ? read.problem : undefined;
    }),
    readText(notesPrompt, () => undefined),
  ]);
  return {
    ...(template.kind === "text" ? { template: template.text } : {}),
    ...(prompt.kind === "text" ? { prompt: prompt.text } : {}),
    problems: [
      ...(template.kind === "unusable" ? [notUsed(notesTemplate, template.why, "sections")] : []),
      ...(prompt.kind === "unusable" ? [notUsed(notesPrompt, prompt.why, "prompt")] : []),
    ],
  };
}

type FoundText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unusable"; readonly why: string }
  | { readonly kind: "absent" };

async function readText(path: string, problemOf: (text: string) => string | undefined): Promise<FoundText> {
  const unusable = (why: string): FoundText => ({ kind: "unusable", why });
  try {
    const file = await open(path, O_RDONLY | O_NONBLOCK);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return unusable("it is not a plain file");
      if (facts.size > MAX_BYTES) {
        return unusable(`it has ${grouped(facts.size)} bytes, more than the limit of ${grouped(MAX_BYTES)}`);
      }
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
      if (text.trim() === "") return unusable("it is empty");
      const problem = problemOf(text);
      return problem === undefined ? { kind: "text", text } : unusable(problem);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof TypeError) return unusable("it is not UTF-8 text");
    const { code = "error" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { kind: "absent" } : unusable(`it cannot be read (${code})`);
  }
}

function notUsed(path: string, why: string, what: "sections" | "prompt"): string {
  return `${path} is not used: ${why}. The session notes have the built-in ${what}. Correct the file or delete it.`;
}

function grouped(bytes: number): string {
  return bytes.toLocaleString("en-US");
}
