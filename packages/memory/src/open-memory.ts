import { aText, checkOptions } from "palimpsest/schema";
import { type CreateMemoryOptions, createMemory } from "./create-memory.ts";
import { folderFiles } from "./folder/folder-files.ts";
import { DEFAULT_LIMITS, type MemoryLimits } from "./limits.ts";
import type { Memory } from "./memory.ts";

/** The folder of a memory, its limits and its clock. Only `folder` is required. */
export interface MemoryOptions extends CreateMemoryOptions {
  /**
   * The folder, one per scope (a project, a user, a tenant), chosen by the host. It is created, for this user only, with the
   * first write.
   */
  readonly folder: string;
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /** @default DEFAULT_LIMITS */
  readonly limits?: Partial<MemoryLimits>;
  /** The program that reads history. @default "git" from the PATH */
  readonly gitProgram?: string;
  /** How long to wait for other writers, in real time. @default 30_000 */
  readonly lockTimeoutMs?: number;
}

/** A memory of plain files in one folder, which the user may edit at any time. */
export interface FolderMemory extends Memory {
  /** With all links resolved. */
  readonly folder: string;
}

/** Opens a memory in a folder, and imports hand edits since its last use. */
export async function openMemory(options: MemoryOptions): Promise<FolderMemory> {
  checkOptions("openMemory", options, { folder: aText("the path of a folder for the topics") });
  const { folder, clock = { now: Date.now }, gitProgram = "git", lockTimeoutMs = 30_000 } = options;
  const limits: MemoryLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const files = folderFiles({ folder, clock, limits, gitProgram, lockTimeoutMs });
  await files.look(() => undefined);
  return { ...createMemory(files, options), folder: files.root() };
}
