import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fromMetadataText } from "../metadata.ts";
import type { SessionMetadata } from "../store.ts";
import { createPrivateFolder, syncFolder, writeSynced } from "./create-log-file.ts";
import { toStoreError } from "./errors.ts";
import { toSafeName } from "./session-file.ts";

/**
 * The metadata of sessions, one small file each in `metadata/`. Beside the logs rather than in them: a list of a hundred
 * sessions reads a hundred small files, and opens no database.
 */
export interface MetadataFiles {
  read(session: string): SessionMetadata | undefined;
  /** @param text as `toMetadataText` gives it */
  write(session: string, text: string): void;
  remove(session: string): void;
}

export function createMetadataFiles(folder: string): MetadataFiles {
  const own = join(folder, "metadata");
  const pathOf = (session: string): string => join(own, `${toSafeName(session)}.json`);
  return {
    read(session) {
      try {
        return fromMetadataText(readFileSync(pathOf(session), "utf8"));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw toStoreError(pathOf(session), error);
      }
    },
    write(session, text) {
      const unnamed = join(own, `.new-${randomUUID()}`);
      try {
        createPrivateFolder(own);
        writeSynced(unnamed, new TextEncoder().encode(text));
        renameSync(unnamed, pathOf(session));
        syncFolder(own);
      } catch (error) {
        rmSync(unnamed, { force: true });
        throw toStoreError(pathOf(session), error);
      }
    },
    remove: (session) => rmSync(pathOf(session), { force: true }),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
