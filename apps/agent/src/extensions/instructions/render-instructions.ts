import type { Provenance } from "palimpsest";
import type { HeadText } from "../../extension/session-head.ts";
import { type InstructionFile, MAX_CHARACTERS } from "./instruction-file.ts";
import type { InstructionReading } from "./read-instruction-files.ts";
import { goneTitle, nameOf, readTitle, type SectionTitle, toTitle, versionOf } from "./section-title.ts";

/** The introduction of the sections at the head of the messages. */
export const HEAD_LINE: string =
  "Instructions that the user and the project have written down. They are context and may or may not matter for the task: follow " +
  "those that do. Where two contradict each other, the later one is closer to the work.";

const CHANGE_LINE = "Instruction files have changed since they were shown. From now on, follow this version:";

/** One titled section for each file, in the given order, with at most the given number of characters in total. */
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

/** Only what lies in the user's own folders is the user's word. */
function writtenBy({ of, path }: InstructionFile): Provenance {
  return of === "user" ? { kind: "user" } : { kind: "project", name: nameOf(path) };
}

/** Changes lines that look like a title, so that a text cannot pretend to be another file. */
function asBody(line: string): string {
  return readTitle(line) === undefined ? line : `\\${line}`;
}

/**
 * The number of characters shown of each file. The user's files come first, so that no repository can crowd them out. Then come
 * the project's files, then those of the folders above it, nearest first.
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

/** The last version of each file that the model saw, by name. */
export type SentFiles = ReadonlyMap<string, SectionTitle>;

/** Reads these versions from the texts that the model sees, in order. */
export function readSentFiles(texts: readonly string[]): SentFiles {
  const titles = texts.flatMap((text) => text.split("\n").flatMap((line) => readTitle(line) ?? []));
  return new Map(titles.map((title) => [title.name, title]));
}

/** Whether the model has seen the current version of a file. */
export function isSent(told: SentFiles, { path, text }: InstructionFile): boolean {
  return told.get(nameOf(path))?.version === versionOf(text);
}

/** The message about changed files; undefined without changes. */
export function changeText(
  told: SentFiles,
  { files, unseen }: Pick<InstructionReading, "files" | "unseen">,
): readonly HeadText[] | undefined {
  const changed = files.filter((file) => !isSent(told, file));
  // What a command has changed holds as it was shown, until the user has seen it.
  const present = new Set([...files, ...unseen].map(({ path }) => nameOf(path)));
  const gone = [...told.values()].filter(({ name, version }) => version !== undefined && !present.has(name));
  if (changed.length + gone.length === 0) return undefined;
  const news = [CHANGE_LINE, ...gone.map(({ name }) => goneTitle(name))].join("\n\n");
  return [{ kind: "text", text: news }, ...toSections(changed)];
}
