import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { openInside, UnsafeFileError } from "./open-inside.ts";

/** A file as it was when it was last looked at. */
export interface FileFacts {
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  readonly hash: string;
}

export interface LoadedFile {
  readonly bytes: Buffer;
  readonly facts: FileFacts;
}

/** Files are read as a whole, to know their hash. */
export const MAX_BYTES: number = 256 * 1_048_576;

/** Undefined if there is no such file. */
export async function loadFile(
  path: string,
  root: string,
  maxBytes: number = MAX_BYTES,
): Promise<LoadedFile | undefined> {
  let file: FileHandle;
  try {
    file = await openInside(path, root);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { mtimeMs, size } = await file.stat();
    if (size > maxBytes) {
      throw new UnsafeFileError(
        `${path} has ${size} bytes, more than the ${maxBytes} that can be read at once.${maxBytes < MAX_BYTES ? "" : " Search it with Grep."}`,
      );
    }
    const bytes = await file.readFile();
    return { bytes, facts: { mtimeMs, sizeBytes: bytes.length, hash: hashOf(bytes) } };
  } finally {
    await file.close();
  }
}

export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
