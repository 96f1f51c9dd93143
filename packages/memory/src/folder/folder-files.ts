import { join } from "node:path";
import type { MemoryFile, MemoryFiles } from "../memory-files.ts";
import { INDEX_PATH, OURS } from "../paths.ts";
import { toMemoryFile } from "../to-topic.ts";
import { applyChanges } from "./apply-changes.ts";
import { type OwnFile, readPlainFile } from "./files/own-file.ts";
import { gitHistory } from "./git-history.ts";
import { createMemoryDirectory, type FilesSnapshot, type MemoryDirectoryOptions } from "./memory-directory.ts";
import { readFile } from "./memory-transaction.ts";
import { viewOf } from "./transaction-view.ts";
import { UseCounts } from "./use-counts.ts";

export interface FolderFiles extends MemoryFiles {
  /** The folder, with all links resolved. */
  root(): string;
}

/** The files of a memory in a folder, which the user may edit at any time, with their history as a git repository. */
export function folderFiles(options: MemoryDirectoryOptions): FolderFiles {
  const { limits, clock, gitProgram } = options;
  const directory = createMemoryDirectory(options);
  const history = gitHistory(directory.gitFolder, gitProgram);
  const uses = new UseCounts(() => join(directory.root(), OURS));
  /** Edits by hand are recorded before history is read. */
  const reconcile = (): Promise<void> => directory.look("closely", () => undefined);

  return {
    limits,
    root: directory.root,
    now: () => clock.now(),
    look: (work) =>
      directory.look("closely", (snapshot) => work({ rows: snapshot.rows, read: (path) => readFile(snapshot, path) })),
    async read(paths) {
      const known = await directory.look("as-known", (snapshot) => {
        const files = paths.map((path) => [path, readFile(snapshot, path)] as const);
        const isKnown = files.every(([path, file]) => file?.version === snapshot.rows.get(path)?.version);
        return isKnown ? toFiles(files, snapshot) : undefined;
      });
      if (known !== undefined) return known;
      // A file was edited by hand, or another writer is replacing it right now.
      return directory.transact(async (transaction) => {
        const files = paths.map((path) => [path, readFile(transaction, path)] as const);
        return toFiles(files, transaction);
      });
    },
    async readIndex() {
      const { bytes, row } = await directory.look("lightly", ({ folders, rows }) => ({
        bytes: readPlainFile(folders.locate(INDEX_PATH)),
        row: rows.get(INDEX_PATH),
      }));
      if (bytes !== undefined || row?.version === undefined) return bytes;
      return directory.transact(async (transaction) => readFile(transaction, INDEX_PATH)?.bytes);
    },
    change: (plan) =>
      directory.transact(async (transaction) => {
        const planned = plan(viewOf(transaction));
        if ("outcome" in planned) return planned.outcome;
        return planned.outcomeOf(await applyChanges(transaction, planned.set));
      }),
    problems: () => directory.problems(),
    async log(limit) {
      await reconcile();
      return history.log(limit);
    },
    async readCommit(name) {
      await reconcile();
      return history.readCommit(name);
    },
    async diff(name) {
      await reconcile();
      return history.diff(name);
    },
    noteUse: async (slugs) => uses.add(slugs, clock.now()),
    uses: async () => uses.all(),
    async close() {
      await directory.close();
      uses.close();
    },
  };
}

function toFiles(
  files: readonly (readonly [path: string, file: OwnFile | undefined])[],
  { rows }: Pick<FilesSnapshot, "rows">,
): ReadonlyMap<string, MemoryFile> {
  return new Map(
    files.flatMap(([path, file]) =>
      file === undefined ? [] : [[path, toMemoryFile(file, rows.get(path), file.state.modifiedAtMs)] as const],
    ),
  );
}
