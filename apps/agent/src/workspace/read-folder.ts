import { readdir } from "node:fs/promises";
import { join } from "node:path";

export interface MarkdownFile {
  readonly path: string;
  /** The file's name, without `.md`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the markdown files of a folder, ordered by name. Links are skipped: otherwise a repository could expose any file of the
 * user. A missing folder has no files.
 */
export async function readFolder(
  folder: string,
  read: (path: string) => Promise<string | undefined>,
): Promise<readonly MarkdownFile[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = found.filter((entry) => entry.isFile() && entry.name.endsWith(".md")).map(({ name }) => name);
  const files = await Promise.all(
    names.sort().map(async (name) => {
      const path = join(folder, name);
      const text = await read(path).catch(() => undefined);
      return text === undefined ? [] : [{ path, name: name.slice(0, -".md".length), text }];
    }),
  );
  return files.flat();
}
