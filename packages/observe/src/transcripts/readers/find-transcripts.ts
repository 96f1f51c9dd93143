import { glob, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { asObject } from "palimpsest/schema";
import type { TranscriptReference } from "./read-transcript.ts";
import type { RecordedAgent } from "./recorded.ts";
import { TRANSCRIPT_NAME, transcriptPlaces, type UserHome } from "./transcript-places.ts";

/**
 * Finds the transcripts of a file or folder by their names, in order, without reading them. A database gives one
 * reference per session. Throws the file system's error if the path does not exist.
 */
export async function* findTranscripts(path: string): AsyncGenerator<TranscriptReference> {
  if (!(await stat(path)).isDirectory()) yield* sessionsOf(path);
  else for await (const file of walk(path)) if (TRANSCRIPT_NAME.test(file)) yield* sessionsOf(file);
}

/** Finds the transcripts that an agent has left in its usual places on this machine. */
export async function* findAgentTranscripts(agent: RecordedAgent, home: UserHome): AsyncGenerator<TranscriptReference> {
  for (const { folder, files } of transcriptPlaces(agent, home)) {
    try {
      await stat(folder);
    } catch (error) {
      if (asObject(error)?.["code"] === "ENOENT") continue;
      throw error;
    }
    yield* findBelow(folder, files);
  }
}

/** Folders without sessions that may have very many files. */
const PASSED_OVER: ReadonlySet<string> = new Set(["node_modules", ".git"]);

async function* walk(folder: string): AsyncGenerator<string> {
  const found = await readdir(folder, { withFileTypes: true });
  for (const entry of found.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) yield* walk(path);
    else if (entry.isFile()) yield path;
  }
}

async function* findBelow(folder: string, files: readonly string[]): AsyncGenerator<TranscriptReference> {
  const names = new Set(await Array.fromAsync(glob([...files], { cwd: folder })));
  for (const name of [...names].sort()) yield* sessionsOf(join(folder, name));
}

async function* sessionsOf(path: string): AsyncGenerator<TranscriptReference> {
  if (!path.endsWith(".db")) {
    yield { path };
    return;
  }
  const { openOpencodeDatabase } = await import("./open-opencode.ts");
  const database = openOpencodeDatabase(path);
  try {
    for (const session of database.sessions()) yield { path, session };
  } finally {
    database.close();
  }
}
