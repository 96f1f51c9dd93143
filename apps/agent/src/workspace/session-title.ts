import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { oneLine } from "../text/table.ts";
import type { Places } from "./places.ts";
import { writePrivateFile } from "./private-files.ts";
import type { StoredSession } from "./stored-sessions.ts";

const FILE = "title.txt";
const MAX_CHARACTERS = 100;

/** Stores the user's title of a session, in a file beside its log. Returns the title as it is stored. */
export async function writeTitle(places: Pick<Places, "folderOf">, id: string, title: string): Promise<string> {
  const stored = oneLine(title, MAX_CHARACTERS);
  await writePrivateFile(join(places.folderOf(id), FILE), `${stored}\n`);
  return stored;
}

/** Replaces the titles of sessions by those that the user gave them. */
export async function withTitles(
  sessions: readonly StoredSession[],
  places: Pick<Places, "folderOf">,
): Promise<readonly StoredSession[]> {
  return Promise.all(
    sessions.map(async (session) => {
      const given = await readFile(join(places.folderOf(session.id), FILE), "utf8").catch(() => "");
      return given.trim() === "" ? session : { ...session, title: oneLine(given, MAX_CHARACTERS) };
    }),
  );
}
