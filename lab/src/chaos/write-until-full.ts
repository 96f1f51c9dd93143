import { writeFile } from "node:fs/promises";

/** Writes a file until nothing more fits on its disk. */
export async function writeUntilFull(path: string): Promise<void> {
  for (const bytes of [1_048_576, 65_536, 4_096]) {
    const block = Buffer.alloc(bytes);
    try {
      for (;;) await writeFile(path, block, { flag: "a" });
    } catch {
      // Full, but for less than a block.
    }
  }
}
