import { open } from "node:fs/promises";
import type { CommandTimes } from "../workspace/command-times.ts";
import { hashOf, OPEN_UNLINKED } from "../workspace/open-inside.ts";
import { readTrust } from "./load-settings.ts";

/** A file of the project that holds instructions, as it was read. */
interface InstructingFile {
  readonly path: string;
  /** Its bytes, up to the limit. */
  readonly bytes: Uint8Array;
  /** When its status changed last: nobody can set it back. */
  readonly changedAtMs: number;
}

/** A file that a command has changed since the user saw it last. It does not count. */
export interface UnseenFile extends InstructingFile {
  readonly hash: string;
}

/** Finds out whether the user has to see a file before it counts. */
export type FindUnseen = (file: InstructingFile) => Promise<UnseenFile | undefined>;

/** Of a longer file the rest does not count. A character has at most four bytes. */
export const MAX_INSTRUCTING_BYTES = 160_000;

/**
 * Finds files that hold instructions and were changed by a command of the agent. They count once the user has seen them as they
 * are (`palimpsest trust`). What the user changes counts at once.
 */
export function unseenFiles(times: Pick<CommandTimes, "covers" | "noteUnseen">, agentHome: string): FindUnseen {
  return async (file) => {
    if (!(await times.covers(file.changedAtMs))) return undefined;
    const hash = hashOf(file.bytes);
    if ((await readTrust(agentHome))[file.path] === hash) return undefined;
    await times.noteUnseen(file.path);
    return { ...file, hash };
  };
}

/** Reads such a file; rejects if it is a link. */
export async function readInstructing(path: string): Promise<InstructingFile> {
  const file = await open(path, OPEN_UNLINKED);
  try {
    const { ctimeMs } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_INSTRUCTING_BYTES), 0, MAX_INSTRUCTING_BYTES, 0);
    return { path, bytes: buffer.subarray(0, bytesRead), changedAtMs: ctimeMs };
  } finally {
    await file.close();
  }
}

/** What the user is told of one. */
export function unseenText(path: string): string {
  return `${path} does not count: a command has changed it since you saw it. To review it: palimpsest trust`;
}
