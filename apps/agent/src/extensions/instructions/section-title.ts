import { createHash } from "node:crypto";
import type { InstructionFile } from "./instruction-file.ts";

/** What the title of a section says: which file it is of, and what was told of it. */
export interface SectionTitle {
  readonly name: string;
  /** Of the text that was told; undefined if it was told that the file is gone. */
  readonly version?: string;
  /** For a file of a folder in the project: that folder. */
  readonly folder?: string;
}

const GONE = " (gone: what it said no longer holds)";
const IN_FOLDER = " (for what lies in ";
const WHOSE = [
  ...[" (of the user, for every project", " (of a folder above the project", " (of the project", " (imported by "],
  IN_FOLDER,
];
const VERSION = /, ([0-9a-f]{8})\)$/;

/** The title carries the version of the text, so that what the model has been told can be read from what it sees. */
export function toTitle(file: InstructionFile): string {
  return `# ${nameOf(file.path)}${whoseIs(file)}, ${versionOf(file.text)})`;
}

export function goneTitle(name: string): string {
  return `# ${name}${GONE}`;
}

/** Undefined if the line is no title. Looks for fixed words only: any line is read in little time. */
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

/** A path as titles name it: in one line, and without what a title goes on with. */
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
