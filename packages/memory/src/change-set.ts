import { hash } from "node:crypto";
import type { Author } from "./topic.ts";

/** A change of one file. */
export interface FileChange {
  readonly path: string;
  /** The version that is replaced; "none" if there must be no file. */
  readonly before: string;
  /** Undefined removes the file. */
  readonly after: Uint8Array | undefined;
}

/** A change and the origin that it gives to the topic. */
export interface AuthoredChange extends FileChange {
  readonly author: Author;
}

/** Changes that belong together: one commit, all or nothing. */
export interface ChangeSet {
  readonly by: Author;
  /** One line. */
  readonly message: string;
  readonly changes: readonly AuthoredChange[];
}

/** SHA-256 of a file's bytes. */
export function versionOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

/** The version of the file after the change; "none" if it is removed. */
export function versionAfter({ after }: FileChange): string {
  return after === undefined ? "none" : versionOf(after);
}
