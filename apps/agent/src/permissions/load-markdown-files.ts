import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hashOf, loadFile, readUnlinked } from "../workspace/open-inside.ts";
import type { PathGuard } from "../workspace/path-guard.ts";
import { readTrust } from "./load-settings.ts";

export interface MarkdownFilesOptions {
  readonly guard: PathGuard;
  /** Our folder in the user's home. */
  readonly agentHome: string;
}

/** A file of the user's, or of the project. A project's file counts once the user has trusted it as it is. */
interface JudgedFile extends MarkdownFile {
  readonly trust: "trusted" | "untrusted";
  readonly hash: string;
}

/** A project's file that waits for the user's trust. */
export interface HeldBackFile {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
}

/** Reads `<name>/*.md` of the user and `.palimpsest/<name>/*.md` of the project, the user's first. */
export async function loadMarkdownFiles(
  name: "agents" | "commands",
  { guard, agentHome }: MarkdownFilesOptions,
): Promise<readonly JudgedFile[]> {
  const ofUser = await readFolder(join(agentHome, name), readUnlinked);
  const ofProject = await readProjectFolder(`.palimpsest/${name}`, guard);
  const trusted = ofProject.length === 0 ? {} : await readTrust(agentHome);
  return [
    ...ofUser.map((file) => ({ ...file, trust: "trusted", hash: hashOf(file.text) }) as const),
    ...ofProject.map((file) => {
      const hash = hashOf(file.text);
      return { ...file, trust: trusted[file.path] === hash ? "trusted" : "untrusted", hash } as const;
    }),
  ];
}

async function readProjectFolder(folder: string, guard: PathGuard): Promise<readonly MarkdownFile[]> {
  const located = await guard.locate(folder);
  if (located.kind !== "inside") return [];
  return readFolder(located.path, async (path) => (await loadFile(path, located.root))?.bytes.toString("utf8"));
}

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
async function readFolder(
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
