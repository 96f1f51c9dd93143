import { stat } from "node:fs/promises";
import { dirname, join, parse, relative } from "node:path";
import { createPathGuard, type PathGuard } from "../files/path-guard.ts";
import { fitsPath, type Rule } from "../permissions/rule.ts";
import { type InstructionPlace, type InstructionReading, readInstructionFiles } from "./read-instruction-files.ts";
import {
  changeText,
  compareInstructions,
  HEAD_LINE,
  type InstructionFile,
  MOST_CHARACTERS,
  toSections,
} from "./render-instructions.ts";

export interface InstructionsOptions {
  /** Its first root is the project. */
  readonly guard: PathGuard;
  /** The user's home. */
  readonly home: string;
  /** Our folder in it. */
  readonly agentHome: string;
  /** What may not be read is no instruction either. @default none */
  readonly rules?: readonly Rule[];
  /** The head that a resumed session has shown already: it stays as it is. @default none, it is made anew */
  readonly shownHead?: string;
}

/**
 * The files of instructions of a session (CLAUDE.md, AGENTS.md). Their head stands at the beginning of the messages, so it stays
 * the same to the byte until the next boundary; what changes meanwhile is told at the end.
 */
export interface Instructions {
  /** For an attachment at the head of the messages; undefined if there is nothing to say. */
  readonly head: string | undefined;
  readonly files: readonly InstructionFile[];
  /** What was not read and why, one line each. */
  readonly problems: readonly string[];
  /** After a boundary: reads everything afresh, makes a new head, and forgets what was attached. */
  refresh(): Promise<void>;
  /** For an attachment: what has changed since it was shown, once. Undefined if nothing has. */
  changes(): Promise<string | undefined>;
  /** For an attachment: what holds for a file that was read, from the folders between the project and it. Once per boundary. */
  instructionsFor(path: string): Promise<string | undefined>;
}

export async function openInstructions(options: InstructionsOptions): Promise<Instructions> {
  const { guard, rules = [], shownHead } = options;
  const places = await placesOf(options);
  /** What the model has been shown, by path. */
  const shown = new Map<string, string>();
  /** Folders whose files were attached, or would have been if there were any. */
  const attached: InstructionPlace[] = [];
  let head: string | undefined;
  let reading = newReading();
  let leftCharacters = 0;

  function newReading(): InstructionReading {
    return { files: [], problems: [], home: options.home, mayRead: (path) => !isHidden(path, rules, guard) };
  }
  async function readAll(from: readonly InstructionPlace[]): Promise<InstructionReading> {
    const fresh = newReading();
    for (const place of from) await readInstructionFiles(place, fresh);
    return fresh;
  }
  function show(files: readonly InstructionFile[]): void {
    for (const { path, text } of files) {
      shown.set(path, text);
      leftCharacters = Math.max(0, leftCharacters - text.length);
    }
  }
  async function refresh(): Promise<void> {
    reading = await readAll(places);
    attached.length = 0;
    shown.clear();
    leftCharacters = MOST_CHARACTERS;
    show(reading.files);
    const { files } = reading;
    head = files.length === 0 ? undefined : [HEAD_LINE, ...toSections(files)].join("\n\n");
  }

  // Tools run beside each other: two reads in one folder must not both be told of it.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  }

  await refresh();
  if (shownHead !== undefined) {
    head = shownHead;
    const sections = toSections(reading.files);
    reading.files.forEach(({ path }, position) => {
      if (!shownHead.includes(sections[position]!)) shown.delete(path);
    });
  }
  return {
    get head() {
      return head;
    },
    get files() {
      return reading.files;
    },
    get problems() {
      return reading.problems;
    },
    refresh: () => inTurn(refresh),
    changes: () =>
      inTurn(async () => {
        const fresh = await readAll([...places, ...attached]);
        const differences = compareInstructions(shown, fresh.files);
        reading = fresh;
        for (const path of differences.gone) shown.delete(path);
        for (const { path, text } of differences.changed) shown.set(path, text);
        return changeText(differences);
      }),
    instructionsFor: (path) =>
      inTurn(async () => {
        const located = await guard.locate(path);
        if (located.kind !== "inside" || isHidden(located.path, rules, guard)) return undefined;
        const due = foldersTo(located.path, located.root)
          .filter((folder) => ![...places, ...attached].some((known) => known.folder === folder))
          .map((folder): InstructionPlace => ({ folder, of: "folder", guard }));
        attached.push(...due);
        const before = reading.files.length;
        for (const place of due) await readInstructionFiles(place, reading);
        const found = reading.files.slice(before);
        // The file itself has just been shown.
        const sections = toSections(
          found.filter((file) => file.path !== located.path),
          leftCharacters,
        );
        show(found);
        return sections.length === 0 ? undefined : sections.join("\n\n");
      }),
  };
}

/** Where the head comes from: the user's home, the folders above the project from the outermost on, the project. */
async function placesOf({ guard, home, agentHome }: InstructionsOptions): Promise<readonly InstructionPlace[]> {
  const project = guard.roots[0]!;
  const ofUser = [home, join(home, ".claude"), agentHome].map((folder) => ({ folder, of: "user" as const }));
  const above = foldersTo(project, parse(project).root).map((folder) => ({ folder, of: "above" as const }));
  const outside = await Promise.all(
    [...ofUser, ...above].map(async ({ folder, of }): Promise<readonly InstructionPlace[]> => {
      if (!(await isFolder(folder)) || folder === project) return [];
      // What the user writes for himself may import from all of his home.
      return [{ folder, of, guard: await createPathGuard(folder, of === "user" ? [home] : []) }];
    }),
  );
  return [...outside.flat(), { folder: project, of: "project", guard }];
}

/** The folders from a root to the one that holds a path, both included, the outermost first. */
function foldersTo(path: string, root: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path; folder !== root && folder !== dirname(folder); ) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

function isHidden(path: string, rules: readonly Rule[], guard: PathGuard): boolean {
  const paths = [path, relative(guard.roots[0]!, path)];
  return rules.some(
    ({ decision, tool, pattern }) =>
      decision === "deny" &&
      tool === "Read" &&
      (pattern === undefined || paths.some((name) => fitsPath(pattern, name))),
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}
