/** A file of instructions, as it was read. */
export interface InstructionFile {
  /** With links followed. */
  readonly path: string;
  /** Whose it is: the user's for every project, of a folder above the project, the project's, or of a folder in it. */
  readonly of: "user" | "above" | "project" | "folder";
  /** Where it was looked for. */
  readonly folder: string;
  readonly importedBy?: string;
  readonly text: string;
}

/** Of all files together. What is longer is rather documentation: the model can read it when it needs it. */
export const MOST_CHARACTERS = 40_000;

const WHOSE: Readonly<Record<InstructionFile["of"], string>> = {
  user: "of the user, for every project",
  above: "of a folder above the project",
  project: "of the project",
  folder: "for what lies in that folder",
};

/** What stands before the sections at the head of the messages. */
export const HEAD_LINE: string =
  "Instructions that the user and the project have written down. They are context and may or may not matter for the task: follow " +
  "those that do. Where two contradict each other, the later one is closer to the work.";

/** One titled section for each file, in the given order; together they hold no more than the given characters of the files. */
export function toSections(
  files: readonly InstructionFile[],
  mostCharacters: number = MOST_CHARACTERS,
): readonly string[] {
  const shares = shareCharacters(files, mostCharacters);
  return files.map((file) => {
    const { path, of, importedBy, text } = file;
    const whose = importedBy === undefined ? WHOSE[of] : `imported by ${importedBy}`;
    const share = shares.get(file)!;
    const kept = text.slice(0, share).toWellFormed();
    const cut = text.length > share ? [`[${text.length - share} more characters: read the file for them]`] : [];
    return [`# ${path} (${whose})`, "", ...(kept === "" ? [] : [kept]), ...cut].join("\n");
  });
}

/**
 * How much of each file is shown. The user's own come first: no repository can crowd them out. Then the project's, then those
 * above it, the nearest first.
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

export interface ChangedInstructions {
  /** New, or with another text than was shown. */
  readonly changed: readonly InstructionFile[];
  /** Paths of what was shown and is there no more. */
  readonly gone: readonly string[];
}

/** What differs from what the model was shown: texts by path. */
export function compareInstructions(
  shown: ReadonlyMap<string, string>,
  files: readonly InstructionFile[],
): ChangedInstructions {
  const present = new Set(files.map(({ path }) => path));
  return {
    changed: files.filter(({ path, text }) => shown.get(path) !== text),
    gone: [...shown.keys()].filter((path) => !present.has(path)),
  };
}

/** What is said of changes; undefined if there are none. */
export function changeText({ changed, gone }: ChangedInstructions): string | undefined {
  if (changed.length + gone.length === 0) return undefined;
  return [
    "Files of instructions have changed since they were shown. This holds from now on:",
    ...gone.map((path) => `${path} is gone, and what it said no longer holds.`),
    ...toSections(changed),
  ].join("\n\n");
}
