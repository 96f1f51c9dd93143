import { dirname, resolve } from "node:path";
import { createEscapeFilter } from "../../text/escape-filter.ts";
import { openInside } from "../../workspace/open-inside.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";
import { findImports, isSurelyPath } from "./find-imports.ts";
import { type InstructionFile, MAX_CHARACTERS } from "./instruction-file.ts";

/** A folder in which files of instructions are looked for. */
export interface InstructionPlace {
  readonly folder: string;
  readonly of: InstructionFile["of"];
  /** How far its links and imports may lead. */
  readonly guard: PathGuard;
}

/** What has been read so far, in the order of reading, and what was not, one line each. */
export interface InstructionReading {
  readonly files: InstructionFile[];
  readonly problems: string[];
  /** What "~" stands for. */
  readonly home: string;
  /** Whether a real path may be read at all. */
  readonly mayRead: (path: string) => boolean;
}

const NAMES = ["CLAUDE.md", "AGENTS.md"];
const MAX_DEPTH = 5;
const MAX_FILES = 100;
/** The longest character takes four. */
const MAX_BYTES = 4 * MAX_CHARACTERS;

/** Reads the files of instructions of a folder with what they import, each file once, however often it is named. */
export async function readInstructionFiles(place: InstructionPlace, reading: InstructionReading): Promise<void> {
  for (const name of NAMES) await readOne(resolve(place.folder, name), [], { place, reading });
}

interface Reader {
  readonly place: InstructionPlace;
  readonly reading: InstructionReading;
}

/** @param importers the chain of imports that leads here, the outermost first */
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
    return say(`${written} leads to ${located.path}, out of ${guard.roots.join(", ")}, and was not read.`);
  }
  const { path, root } = located;
  // A circle of imports ends here too.
  if (files.some((file) => file.path === path) || !mayRead(path)) return;
  if (importers.length > MAX_DEPTH) return say(`${written} lies deeper than ${MAX_DEPTH} imports and was not read.`);
  if (files.length >= MAX_FILES) return say(`${written} was not read: there are ${MAX_FILES} files already.`);
  const text = await readText(path, { root, of }).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    return undefined;
  });
  if (text === "missing") {
    if (importedBy !== undefined && isSurelyPath(written)) say(`there is no ${written} to import.`);
    return;
  }
  if (text === undefined || text === "") return;
  // Projects often have the same text under both names.
  if (importedBy === undefined && files.some((file) => file.folder === folder && file.text === text)) return;
  files.push({ path, of, folder, text, ...(importedBy === undefined ? {} : { importedBy }) });
  for (const found of findImports(text)) {
    const target = found.startsWith("~/") ? resolve(reading.home, found.slice(2)) : resolve(dirname(path), found);
    await readOne(target, [...importers, path], { place, reading });
  }
}

async function readText(
  path: string,
  { root, of }: { readonly root: string; readonly of: InstructionFile["of"] },
): Promise<string | "missing"> {
  const file = await openInside(path, root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return "missing";
  try {
    const { uid, mode } = await file.stat();
    const ours = process.getuid === undefined || uid === process.getuid() || uid === 0;
    // Above the project may be a folder that everybody can write to, such as /tmp.
    if (of === "above" && (!ours || (mode & 0o002) !== 0)) {
      throw new Error(`${path} can be written by another user, and was not read.`);
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) throw new Error(`${path} is no text, and was not read.`);
    return harmless(bytes);
  } finally {
    await file.close();
  }
}

/** What people cannot see in the file is no instruction of theirs. Nor does a text end the reminder that it stands in. */
function harmless(bytes: Uint8Array): string {
  const filter = createEscapeFilter();
  const text = filter.push(bytes) + filter.end();
  return text.replaceAll(/<(?=\/?system-reminder)/gi, "&lt;").trim();
}
