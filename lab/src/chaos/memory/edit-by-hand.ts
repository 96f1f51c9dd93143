import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How people's editors save a file. */
const STYLES = {
  /** Another file, then its name. */
  async exchange(path: string, text: string) {
    writeFileSync(`${path}.swp`, text);
    renameSync(`${path}.swp`, path);
  },
  /** Emptied and written, in place. */
  async overwrite(path: string, text: string) {
    writeFileSync(path, text);
  },
  /** The same, by an editor that takes its time: what it has opened may no longer be what has that name. */
  async slowly(path: string, text: string) {
    const file = openSync(path, "r+");
    try {
      await sleep(Math.random() * 20);
      ftruncateSync(file);
      await sleep(Math.random() * 3);
      writeSync(file, text.slice(0, 10), 0);
      await sleep(Math.random() * 3);
      writeSync(file, text.slice(10), 10);
    } finally {
      closeSync(file);
    }
  },
} as const;

/** Edits one file of a memory as a user would. Returns the words by which the edit is known, or nothing if there was no file. */
export async function editByHand(folder: string, name: string, number: number): Promise<string | undefined> {
  const path = join(folder, name);
  const mark = `by-hand-${number}-${Math.random().toString(36).slice(2)}`;
  try {
    const now = readFileSync(path, "utf8");
    const text = name === "MEMORY.md" ? `${now}note ${mark}\n` : `Edited ${mark}\n`;
    const style = Object.values(STYLES)[number % 3]!;
    await style(path, text);
    return mark;
  } catch (error) {
    // It was just forgotten, or is just being exchanged.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
