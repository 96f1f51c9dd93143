import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { oneLine } from "../text/table.ts";
import type { Places } from "./places.ts";
import { writePrivateFile } from "./private-files.ts";
import type { StoredSession } from "./stored-sessions.ts";

const FILE = "title.txt";
const MAX_CHARACTERS = 100;

/** Stores the user's title of a session in a file next to its log. Resolves to the stored title. */
export async function writeTitle(places: Pick<Places, "folderOf">, id: string, title: string): Promise<string> {
  const stored = oneLine(title, MAX_CHARACTERS);
  await writePrivateFile(join(places.folderOf(id), FILE), `${stored}\n`);
  return stored;
}

/** Replaces the titles of sessions with titles that the user set. */
export async function withTitles(
  sessions: readonly StoredSession[],
  places: Pick<Places, "folderOf">,
): Promise<readonly StoredSession[]> {
  return Promise.all(
    sessions.map(async (session) => {
      const stored = await readFile(join(places.folderOf(session.id), FILE), "utf8").catch(() => "");
      return stored.trim() === "" ? session : { ...session, title: oneLine(stored, MAX_CHARACTERS) };
    }),
  );
}
