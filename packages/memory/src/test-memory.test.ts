import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { type FolderMemory, openMemory } from "./open-memory.ts";
import { testMemory } from "./test-memory.ts";

testMemory({
  test,
  async place() {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-memory-"));
    const opened: FolderMemory[] = [];
    return {
      async open(options) {
        const memory = await openMemory({ ...options, folder: join(folder, "memory") });
        opened.push(memory);
        return memory;
      },
      async remove() {
        for (const memory of opened) await memory.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});
