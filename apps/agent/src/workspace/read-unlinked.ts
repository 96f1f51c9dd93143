import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Windows does not have this flag. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Opens a file for reading, unless it is a link. */
export const OPEN_UNLINKED: number = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Reads a file as text; rejects if the file is a link. */
export async function readUnlinked(path: string): Promise<string> {
  const file = await open(path, OPEN_UNLINKED);
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
