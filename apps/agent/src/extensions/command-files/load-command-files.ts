import {
  type HeldBackFile,
  loadMarkdownFiles,
  type MarkdownFilesOptions,
} from "../../permissions/load-markdown-files.ts";
import type { MarkdownFile } from "../../workspace/read-folder.ts";

export interface LoadedCommandFiles {
  /** The user's commands, then the project's. If two have the same name, the user's is used. */
  readonly files: readonly MarkdownFile[];
  /** Files of the project that the user has not trusted. */
  readonly heldBack: readonly HeldBackFile[];
}

/** Reads slash commands: `commands/NAME.md` of the user, and `.palimpsest/commands/NAME.md` of the project once they are trusted. */
export async function loadCommandFiles(options: MarkdownFilesOptions): Promise<LoadedCommandFiles> {
  const found = await loadMarkdownFiles("commands", options);
  return {
    files: found.filter(({ trust }) => trust === "trusted"),
    heldBack: found.filter(({ trust }) => trust === "untrusted").map(({ name, path, hash }) => ({ name, path, hash })),
  };
}
