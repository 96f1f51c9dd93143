import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Windows has no such flag. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** The text of a file; rejects if the file is, or has become, a link. */
export async function readUnlinked(path: string): Promise<string> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
