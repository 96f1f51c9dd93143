import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tickingClock } from "../contract/memory-case.ts";
import { type FolderMemory, type MemoryOptions, openMemory } from "../open-memory.ts";

export { commitsOf, draft, messagesOf, versionIn } from "../contract/memory-case.ts";

export interface TemporaryMemory {
  readonly memory: FolderMemory;
  readonly folder: string;
  /** Moves on by a second with each question. */
  readonly clock: { now(): number };
  /** Another user of the same folder, as another process would be. */
  reopen(more?: Partial<MemoryOptions>): Promise<FolderMemory>;
  put(path: string, text: string | Uint8Array): void;
  text(path: string): string;
  has(path: string): boolean;
}

/** A memory in a folder that is gone after the test. */
export async function temporaryMemory(options: Partial<MemoryOptions> = {}): Promise<TemporaryMemory> {
  const base = mkdtempSync(join(tmpdir(), "palimpsest-memory-"));
  const folder = options.folder ?? join(base, "memory");
  const clock = tickingClock();
  const opened: FolderMemory[] = [];
  onTestFinished(async () => {
    for (const memory of opened) await memory.close();
    rmSync(base, { recursive: true, force: true });
  });
  const reopen = async (more: Partial<MemoryOptions> = {}): Promise<FolderMemory> => {
    const memory = await openMemory({ clock, ...options, ...more, folder });
    opened.push(memory);
    return memory;
  };
  return {
    folder,
    clock,
    reopen,
    memory: await reopen(),
    put: (path, text) => writeFileSync(join(folder, path), text),
    text: (path) => readFileSync(join(folder, path), "utf8"),
    has: (path) => existsSync(join(folder, path)),
  };
}
