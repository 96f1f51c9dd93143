import { stat } from "node:fs/promises";
import { dirname, join, parse, relative } from "node:path";
import type { PlacedText } from "palimpsest";
import type { HeadText } from "../../extension/session-head.ts";
import { fitsPath } from "../../permissions/glob.ts";
import { fitsTool, type Rule } from "../../permissions/rule.ts";
import { hiddenPatterns } from "../../permissions/session-sandbox.ts";
import { type FindUnseen, unseenText } from "../../permissions/unseen-file.ts";
import { createPathGuard, type PathGuard } from "../../workspace/path-guard.ts";
import {
  type InstructionFile,
  type InstructionPlace,
  type InstructionReading,
  MAX_CHARACTERS,
  readInstructionFiles,
} from "./read-instruction-files.ts";
import { changeText, HEAD_LINE, isSent, readSentFiles, toSections } from "./render-instructions.ts";

/** Where to look for instruction files, and which of them may be read. */
export interface InstructionsOptions {
  /** The guard whose first root is the project. */
  readonly guard: PathGuard;
  /** The user's home. */
  readonly home: string;
  /** Our folder in the user's home. */
  readonly agentHome: string;
  /** Permission rules. Files that they deny are not used as instructions. @default none */
  readonly rules?: readonly Rule[];
  /** Finds files that the user has to review first. @default none */
  readonly findUnseen?: FindUnseen;
  /** Receives a message for each such file that is found after the start. @default no messages */
  readonly onUnseen?: (text: string) => void;
}

/**
 * The instruction files of a project (CLAUDE.md, AGENTS.md). The texts that the model sees (`shown`) determine which
 * instructions it knows, so a resume repeats nothing and an undo loses nothing.
 */
export interface Instructions {
  /** The files as they were last read. */
  readonly files: readonly InstructionFile[];
  /** Files that were not read, with the reason, one line each. */
  readonly problems: readonly string[];
  /** The current files, for the head. Undefined without files. */
  text(): Promise<readonly HeadText[] | undefined>;
  /** The changes since the files were shown. Undefined without changes. */
  changes(shown: readonly string[]): Promise<readonly HeadText[] | undefined>;
  /**
   * The instructions for files and folders: those of each folder between the project and the path, and of the path itself if it
   * is a folder. Undefined if there are none, or the model sees all of them.
   */
  instructionsFor(paths: readonly string[], shown: readonly string[]): Promise<readonly HeadText[] | undefined>;
  /**
   * The current instructions of folders that are in use: the folders of these files, and those whose instructions the model
   * sees. The most recently touched folder comes first.
   */
  folderRules(files: readonly string[], shown: readonly string[]): Promise<readonly PlacedText[]>;
}

/** Opens the instruction files of the user, of the project, and of folders that the session reads later. */
export async function openInstructions(options: InstructionsOptions): Promise<Instructions> {
  const { guard } = options;
  const places = await placesOf(options);
  const notified = new Set<string>();

  function notify({ unseen }: Pick<InstructionReading, "unseen">, onUnseen = options.onUnseen): void {
    for (const { path, hash } of unseen.filter((file) => !notified.has(file.hash))) {
      notified.add(hash);
      onUnseen?.(unseenText(path));
    }
  }

  async function readAll(from: readonly InstructionPlace[]): Promise<InstructionReading> {
    const mayRead = (path: string): boolean => !isHidden(path, options);
    const findUnseen = options.findUnseen === undefined ? {} : { findUnseen: options.findUnseen };
    const begun: InstructionReading = {
      files: [],
      problems: [],
      unseen: [],
      home: options.home,
      mayRead,
      ...findUnseen,
    };
    for (const place of from) await readInstructionFiles(place, begun);
    return begun;
  }
  const inProject = (folder: string): InstructionPlace => ({ folder, of: "folder", guard });
  const isFolderOfHead = (folder: string): boolean => places.some((place) => place.folder === folder);
  // Only the order of folders depends on this list, so an undo does not have to correct it.
  let touched: readonly string[] = [];

  let reading = await readAll(places);
  // Records the files found at the start without a message, because the start reports them as problems.
  notify(reading, () => {});
  return {
    get files() {
      return reading.files;
    },
    get problems() {
      return reading.problems;
    },
    async text() {
      reading = await readAll(places);
      const { files } = reading;
      return files.length === 0 ? undefined : [{ kind: "text", text: HEAD_LINE }, ...toSections(files)];
    },
    async changes(shown) {
      const sent = readSentFiles(shown);
      const folders = new Set([...sent.values()].flatMap(({ folder }) => folder ?? []));
      reading = await readAll([...places, ...[...folders].map(inProject)]);
      notify(reading);
      return changeText(sent, reading);
    },
    async instructionsFor(paths, shown) {
      const located = await Promise.all(paths.map((path) => foldersOf(path, options)));
      const folders = [...new Set(located.flat())].filter((folder) => !isFolderOfHead(folder));
      if (folders.length === 0) return undefined;
      touched = [...new Set([...folders.toReversed(), ...touched])];
      const sent = readSentFiles(shown);
      reading = await readAll([...places, ...folders.map(inProject)]);
      notify(reading);
      const due = reading.files.filter((file) => file.of === "folder" && !isSent(sent, file));
      const leftCharacters = MAX_CHARACTERS - shown.reduce((sum, text) => sum + text.length, 0);
      return due.length === 0 ? undefined : toSections(due, Math.max(0, leftCharacters));
    },
    async folderRules(files, shown) {
      const ofFiles = await Promise.all(files.map((path) => foldersOf(path, options)));
      const inView = [...readSentFiles(shown).values()].flatMap(({ folder }) => folder ?? []);
      const inUse = new Set([...ofFiles.flatMap((folders) => folders.toReversed()), ...inView.toReversed()]);
      const folders = [...new Set([...touched.filter((folder) => inUse.has(folder)), ...inUse])];
      const found = await readAll(folders.filter((folder) => !isFolderOfHead(folder)).map(inProject));
      notify(found);
      // The engine cuts what does not fit.
      const sections = toSections(found.files, Number.POSITIVE_INFINITY);
      return found.files.map(({ path }, at) => ({ path, text: sections[at]!.text }));
    },
  };
}

/**
 * The places of the head's files: the user's home, the folders above the project from the outermost one on, the
 * project.
 */
async function placesOf({ guard, home, agentHome }: InstructionsOptions): Promise<readonly InstructionPlace[]> {
  const project = guard.roots[0]!;
  const ofUser = [home, join(home, ".claude"), agentHome].map((folder) => ({ folder, of: "user" as const }));
  const above = foldersTo(project, parse(project).root).map((folder) => ({ folder, of: "above" as const }));
  const outside = await Promise.all(
    [...ofUser, ...above].map(async ({ folder, of }): Promise<readonly InstructionPlace[]> => {
      if (!(await isFolder(folder)) || folder === project) return [];
      // The user's own instructions may import from anywhere in the user's home.
      return [{ folder, of, guard: await createPathGuard(folder, of === "user" ? [home] : []) }];
    }),
  );
  return [...outside.flat(), { folder: project, of: "project", guard }];
}

/** The folders of the project that a path lies in, and the path itself if it is a folder. None outside the project. */
async function foldersOf(path: string, options: InstructionsOptions): Promise<readonly string[]> {
  // A path in a folder that nobody may enter has no instructions.
  const located = await options.guard.locate(path).catch(() => undefined);
  if (located?.kind !== "inside" || isHidden(located.path, options)) return [];
  const folders = foldersTo(located.path, located.root);
  return (await isFolder(located.path)) ? [...folders, located.path] : folders;
}

/** The folders from a root to the folder of a path, both included, outermost first. */
function foldersTo(path: string, root: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path; folder !== root && folder !== dirname(folder); ) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

function isHidden(path: string, { rules = [], guard, home }: InstructionsOptions): boolean {
  const folder = guard.roots[0]!;
  const paths = [path, relative(folder, path)];
  const hidesAll = ({ decision, tool, pattern }: Rule): boolean =>
    decision === "deny" && pattern === undefined && fitsTool(tool, "Read");
  return (
    rules.some(hidesAll) ||
    hiddenPatterns(rules, { folder, home }).some((pattern) => paths.some((name) => fitsPath(pattern, name)))
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}
