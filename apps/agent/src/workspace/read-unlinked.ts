import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Windows does not have this flag. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Reads a file as text; rejects if the file is a link. */
export async function readUnlinked(path: string): Promise<string> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
