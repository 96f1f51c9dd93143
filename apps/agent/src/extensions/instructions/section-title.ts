import { createHash } from "node:crypto";
import type { InstructionFile } from "./instruction-file.ts";

/** The contents of a section title: the file, and the version that the model saw. */
export interface SectionTitle {
  readonly name: string;
  /** The version of the text; undefined if the title says that the file is gone. */
  readonly version?: string;
  /** The folder, for a file of a folder in the project. */
  readonly folder?: string;
}

const GONE = " (gone: what it said no longer holds)";
const IN_FOLDER = " (for what lies in ";
const WHOSE = [
  ...[" (of the user, for every project", " (of a folder above the project", " (of the project", " (imported by "],
  IN_FOLDER,
];
const VERSION = /, ([0-9a-f]{8})\)$/;

/** Writes a title. It contains the version of the text, so that the view shows which version the model has seen. */
export function toTitle(file: InstructionFile): string {
  return `# ${nameOf(file.path)}${whoseIs(file)}, ${versionOf(file.text)})`;
}

export function goneTitle(name: string): string {
  return `# ${name}${GONE}`;
}

/** Reads a title; undefined if the line is not a title. Searches only for fixed words, so it is fast for any line. */
export function readTitle(line: string): SectionTitle | undefined {
  if (!line.startsWith("# ")) return undefined;
  if (line.endsWith(GONE)) return { name: line.slice(2, -GONE.length) };
  const found = VERSION.exec(line);
  const whose = WHOSE.map((words) => ({ words, at: line.indexOf(words) })).find(({ at }) => at > 0);
  if (found === null || whose === undefined) return undefined;
  const { words, at } = whose;
  return {
    name: line.slice(2, at),
    version: found[1]!,
    ...(words === IN_FOLDER ? { folder: line.slice(at + words.length, found.index) } : {}),
  };
}

/** A path for a title: on one line, and without the words that end a title's path. */
export function nameOf(path: string): string {
  return path.replaceAll("\n", " ").replaceAll(/ \((?=of |for |imported |gone:)/g, " [");
}

export function versionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

function whoseIs({ of, folder, importedBy }: InstructionFile): string {
  if (of === "folder") return `${IN_FOLDER}${nameOf(folder)}`;
  if (importedBy !== undefined) return ` (imported by ${nameOf(importedBy)}`;
  return { user: WHOSE[0]!, above: WHOSE[1]!, project: WHOSE[2]! }[of];
}
