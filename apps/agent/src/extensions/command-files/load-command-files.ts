import { join } from "node:path";
import { readTrust } from "../../permissions/load-settings.ts";
import { hashOf, loadFile } from "../../workspace/load-file.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";
import { type MarkdownFile, readFolder } from "../../workspace/read-folder.ts";
import { readUnlinked } from "../../workspace/read-unlinked.ts";

export interface CommandFilesOptions {
  readonly guard: PathGuard;
  /** Our folder in the user's home. */
  readonly agentHome: string;
}

export interface LoadedCommandFiles {
  /** The user's, then the project's; of two with one name the user's counts. */
  readonly files: readonly MarkdownFile[];
  /** Of the project, and not trusted as they are. */
  readonly heldBack: readonly { readonly name: string; readonly path: string; readonly hash: string }[];
}

/** Reads slash commands: `commands/NAME.md` of the user, and `.palimpsest/commands/NAME.md` of the project once they are trusted. */
export async function loadCommandFiles({ guard, agentHome }: CommandFilesOptions): Promise<LoadedCommandFiles> {
  const ofUser = await readFolder(join(agentHome, "commands"), readUnlinked);
  const located = await guard.locate(".palimpsest/commands");
  if (located.kind !== "inside") return { files: ofUser, heldBack: [] };
  const readInside = async (path: string): Promise<string | undefined> =>
    (await loadFile(path, located.root))?.bytes.toString("utf8");
  const ofProject = await readFolder(located.path, readInside);
  const trusted = ofProject.length === 0 ? {} : await readTrust(agentHome);
  const isTrusted = ({ path, text }: MarkdownFile): boolean => trusted[path] === hashOf(text);
  return {
    files: [...ofUser, ...ofProject.filter(isTrusted)],
    heldBack: ofProject
      .filter((file) => !isTrusted(file))
      .map(({ name, path, text }) => ({ name, path, hash: hashOf(text) })),
  };
}
