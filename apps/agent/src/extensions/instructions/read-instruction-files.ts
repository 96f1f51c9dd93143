import { dirname, resolve } from "node:path";
import { sanitize } from "palimpsest/sanitize";
import { type FindUnseen, MAX_INSTRUCTING_BYTES, type UnseenFile, unseenText } from "../../permissions/unseen-file.ts";
import { openInside } from "../../workspace/open-inside.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";

/** A folder to search for instruction files. */
export interface InstructionPlace {
  readonly folder: string;
  readonly of: InstructionFile["of"];
  /** The folders that links and imports of its files may reach. */
  readonly guard: PathGuard;
}

/** The files read so far, in order, and problems, one line each. */
export interface InstructionReading {
  readonly files: InstructionFile[];
  readonly problems: string[];
  /** The folder that "~" stands for. */
  readonly home: string;
  /** Whether a real path may be read. */
  readonly mayRead: (path: string) => boolean;
  /** Finds project files that the user has to review first. @default none */
  readonly findUnseen?: FindUnseen;
  /** Files that the user has to review first. */
  readonly unseen: UnseenFile[];
}

const NAMES = ["CLAUDE.md", "AGENTS.md"];
const MAX_DEPTH = 5;
const MAX_FILES = 100;

/** Reads the instruction files of a folder and their imports, each file once. */
export async function readInstructionFiles(place: InstructionPlace, reading: InstructionReading): Promise<void> {
  for (const name of NAMES) await readOne(resolve(place.folder, name), [], { place, reading });
}

interface Reader {
  readonly place: InstructionPlace;
  readonly reading: InstructionReading;
}

/** Reads one file. @param importers the chain of imports, outermost first */
async function readOne(written: string, importers: readonly string[], { place, reading }: Reader): Promise<void> {
  const { files, problems, mayRead } = reading;
  const { folder, of, guard } = place;
  const importedBy = importers.at(-1);
  const say = (problem: string): void => {
    problems.push(importedBy === undefined ? problem : `${importedBy}: ${problem}`);
  };
  const located = await guard.locate(written);
  if (located.kind === "invalid") return importedBy === undefined ? undefined : say(located.reason);
  if (located.kind !== "inside") {
    return say(`${written} was not read: it is ${located.path}, which is outside of ${guard.roots.join(", ")}.`);
  }
  const { path, root } = located;
  // This check also ends circular imports.
  if (files.some((file) => file.path === path) || !mayRead(path)) return;
  if (importers.length > MAX_DEPTH)
    return say(`${written} was not read: imports may be nested at most ${MAX_DEPTH} deep.`);
  if (files.length >= MAX_FILES)
    return say(`${written} was not read: at most ${MAX_FILES} instruction files are read.`);
  const text = await readText(path, { root, of }, reading).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    return undefined;
  });
  if (text === "missing") {
    if (importedBy !== undefined && isSurelyPath(written)) say(`the imported file ${written} does not exist.`);
    return;
  }
  if (text === undefined || text === "") return;
  if (typeof text !== "string") {
    reading.unseen.push(text);
    return say(unseenText(path));
  }
  // Many projects have the same text in both files.
  if (importedBy === undefined && files.some((file) => file.folder === folder && file.text === text)) return;
  files.push({ path, of, folder, text, importedBy });
  for (const found of findImports(text)) {
    const target = found.startsWith("~/") ? resolve(reading.home, found.slice(2)) : resolve(dirname(path), found);
    await readOne(target, [...importers, path], { place, reading });
  }
}

async function readText(
  path: string,
  { root, of }: { readonly root: string; readonly of: InstructionFile["of"] },
  { findUnseen }: Pick<InstructionReading, "findUnseen">,
): Promise<string | "missing" | UnseenFile> {
  const file = await openInside(path, root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return "missing";
  try {
    const { uid, mode, ctimeMs } = await file.stat();
    const ours = process.getuid === undefined || uid === process.getuid() || uid === 0;
    // Every user may be able to write to a folder above the project, such as /tmp.
    if (of === "above" && (!ours || (mode & 0o022) !== 0)) {
      throw new Error(`${path} was not read: another user can write to it.`);
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_INSTRUCTING_BYTES), 0, MAX_INSTRUCTING_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) throw new Error(`${path} was not read: it is not a text file.`);
    const unseen = of === "user" ? undefined : await findUnseen?.({ path, bytes, changedAtMs: ctimeMs });
    if (unseen !== undefined) return unseen;
    return sanitize(bytes.toString("utf8")).trim();
  } finally {
    await file.close();
  }
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const IMPORT = /(?<=^|\s)@((?:\\ |[^\s\\])+)/g;
/** Punctuation after a path, which belongs to the sentence. */
const PUNCTUATION = ".,;:!?)]}'\"";
/** The maximum number of imports per file, so that a file full of imports cannot block the start. */
const MAX_IMPORTS = 100;

/** Removes code between equally many backticks. Each run of backticks is looked at once, from the end of the line to its beginning. */
function withoutCodeSpans(line: string): string {
  const runs = [...line.matchAll(/`+/g)].map(({ index, 0: run }) => ({
    from: index,
    to: index + run.length,
    length: run.length,
  }));
  const closing = new Map<number, number>();
  const closedBy = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at--) {
    closedBy[at] = closing.get(runs[at]!.length) ?? -1;
    closing.set(runs[at]!.length, at);
  }
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const end = closedBy[at]!;
    if (end === -1) continue;
    kept.push(line.slice(from, runs[at]!.from));
    from = runs[end]!.to;
    at = end;
  }
  return [...kept, line.slice(from)].join("");
}

function withoutPunctuation(path: string): string {
  let end = path.length;
  while (end > 0 && PUNCTUATION.includes(path[end - 1]!)) end--;
  return path.slice(0, end);
}

/** Finds the imported paths in a text: `@docs/style.md` outside of code. A space in a path is written `\ `. */
export function findImports(markdown: string): readonly string[] {
  const paths = new Set<string>();
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence === undefined) {
      for (const [, written] of withoutCodeSpans(line).matchAll(IMPORT)) {
        const path = withoutPunctuation(written!.replaceAll("\\ ", " "));
        if (path !== "" && paths.size < MAX_IMPORTS) paths.add(path);
      }
    }
  }
  return [...paths];
}

/** Whether a missing import is an error. `@someone` and `@scope/package` may not be imports. */
export function isSurelyPath(written: string): boolean {
  return /^(\.{0,2}|~)\/|\.(md|mdx|txt)$/i.test(written);
}

/** An instruction file. */
export interface InstructionFile {
  /** The real path. */
  readonly path: string;
  /** The file's scope: the user (all projects), a folder above the project, the project, or a folder in the project. */
  readonly of: "user" | "above" | "project" | "folder";
  /** The folder in which the file was found. */
  readonly folder: string;
  readonly importedBy?: string;
  readonly text: string;
}

/** The limit of all files together. The model can read longer files when it needs them. */
export const MAX_CHARACTERS = 40_000;
