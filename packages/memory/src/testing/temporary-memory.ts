import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Memory } from "../memory.ts";
import type { MemoryCommit } from "../memory-files.ts";
import { type FolderMemory, type MemoryOptions, openMemory } from "../open-memory.ts";
import type { TopicDraft } from "../topic.ts";

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
  let nowMs = Date.UTC(2026, 10, 15);
  const clock = { now: () => (nowMs += 1_000) };
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

export function draft(slug: string, more: Partial<TopicDraft> = {}): TopicDraft {
  return {
    slug,
    name: `About ${slug}`,
    description: `what ${slug} is`,
    type: "project",
    body: `The fact of ${slug}.`,
    ...more,
  };
}

/** The version that a change has led to; what came of it otherwise is the failure's message. */
export function versionIn(outcome: { readonly kind: string }): string {
  if ("version" in outcome && outcome.kind === "written") return String(outcome.version);
  throw new Error(`not written: ${JSON.stringify(outcome)}`);
}

/** The newest first. */
export async function commitsOf(memory: Memory): Promise<readonly MemoryCommit[]> {
  const log = await memory.log(100);
  if (log.kind === "no-history") throw new Error(log.why);
  return log.commits;
}

/** Who did what, the newest first. */
export async function messagesOf(memory: Memory): Promise<readonly string[]> {
  return (await commitsOf(memory)).map(({ by, message }) => `${by}: ${message}`);
}
