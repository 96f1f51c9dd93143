import { createHash } from "node:crypto";
import type { Provenance } from "palimpsest";
import type { HeadText } from "../../extension/session-head.ts";
import { type InstructionFile, type InstructionReading, MAX_CHARACTERS } from "./read-instruction-files.ts";

/** The introduction of the instructions at the head of the messages. */
export const HEAD_LINE: string =
  "Instructions that the user and the project have written down. They are context and may or may not matter for the task: follow " +
  "those that do. Where two contradict each other, the later one is closer to the work.";

const CHANGE_LINE = "Instruction files have changed since they were shown. From now on, follow this version:";

/** Formats one titled section for each file, in the given order, with a limit for all of them. */
export function toSections(
  files: readonly InstructionFile[],
  mostCharacters: number = MAX_CHARACTERS,
): readonly HeadText[] {
  const shares = shareCharacters(files, mostCharacters);
  return files.map((file) => {
    const { text } = file;
    const share = shares.get(file)!;
    const kept = text.slice(0, share).toWellFormed().split("\n").map(asBody).join("\n");
    const cut = text.length > share ? [`[${text.length - share} more characters: read the file for them]`] : [];
    const section = [toTitle(file), "", ...(kept === "" ? [] : [kept]), ...cut].join("\n");
    return { kind: "text", text: section, provenance: writtenBy(file) };
  });
}

/** Files are the user's own words only if they are in the user's own folders. */
function writtenBy({ of, path }: InstructionFile): Provenance {
  return of === "user" ? { kind: "user" } : { kind: "project", name: nameOf(path) };
}

/** Changes lines that look like a title, so that a text cannot imitate another file. */
function asBody(line: string): string {
  return readTitle(line) === undefined ? line : `\\${line}`;
}

/**
 * The number of characters to show of each file. The user's files come first, so that a repository cannot displace
 * them. The project's files come next, then files of the folders above it, nearest first.
 */
function shareCharacters(
  files: readonly InstructionFile[],
  mostCharacters: number,
): ReadonlyMap<InstructionFile, number> {
  const rank = { user: 0, project: 1, folder: 1, above: 2 };
  const byWeight = files.toSorted(
    (one, other) => rank[one.of] - rank[other.of] || other.folder.length - one.folder.length,
  );
  let left = mostCharacters;
  return new Map(
    byWeight.map((file) => {
      const share = Math.min(left, file.text.length);
      left -= share;
      return [file, share];
    }),
  );
}

/** The last version of each file that the model has seen, by name. */
type SentFiles = ReadonlyMap<string, SectionTitle>;

/** Reads the seen versions from the texts that the model sees, in order. */
export function readSentFiles(texts: readonly string[]): SentFiles {
  const titles = texts.flatMap((text) => text.split("\n").flatMap((line) => readTitle(line) ?? []));
  return new Map(titles.map((title) => [title.name, title]));
}

/** Whether the model has seen the current version of a file. */
export function isSent(sent: SentFiles, { path, text }: InstructionFile): boolean {
  return sent.get(nameOf(path))?.version === versionOf(text);
}

/** The message about changed files. Undefined without changes. */
export function changeText(
  sent: SentFiles,
  { files, unseen }: Pick<InstructionReading, "files" | "unseen">,
): readonly HeadText[] | undefined {
  const changed = files.filter((file) => !isSent(sent, file));
  // A file that a command has changed counts as unchanged until the user has reviewed it.
  const present = new Set([...files, ...unseen].map(({ path }) => nameOf(path)));
  const gone = [...sent.values()].filter(({ name, version }) => version !== undefined && !present.has(name));
  if (changed.length + gone.length === 0) return undefined;
  const news = [CHANGE_LINE, ...gone.map(({ name }) => goneTitle(name))].join("\n\n");
  return [{ kind: "text", text: news }, ...toSections(changed)];
}

/** The content of a section title: the file, and the version that the model has seen. */
interface SectionTitle {
  readonly name: string;
  /** The version of the text. Undefined if the title says that the file is gone. */
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

/** Writes a title. The title contains the version of the text, so the view shows which version the model has seen. */
export function toTitle(file: InstructionFile): string {
  return `# ${nameOf(file.path)}${whoseIs(file)}, ${versionOf(file.text)})`;
}

export function goneTitle(name: string): string {
  return `# ${name}${GONE}`;
}

/** Reads a title. Undefined for other lines. Searches only for fixed words, so it is fast for any line. */
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

/** A path for a title: on one line, and without the words that end the path in a title. */
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
