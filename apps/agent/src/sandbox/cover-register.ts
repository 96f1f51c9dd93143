import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, rmdirSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inTransaction, type Owner, type Place, systemProcesses, thisProcess } from "palimpsest/sqlite";
import { mayRun } from "../workspace/command-times.ts";
import { isInside } from "../workspace/path-guard.ts";
import { ITSELF } from "./plan-mounts.ts";
import type { Cover } from "./repository-places.ts";

/**
 * The covers that sessions have made in the same folders. A cover lies in the real project, and its mount ends where the cover is
 * removed: so the covers stay until the last session that runs a program there has ended it.
 */
export interface CoverRegister {
  /** A program of this session begins. Removes what dead sessions have left, and returns the covers of living ones. */
  hold(): readonly Cover[];
  /** Records covers before they are made. Returns all covers of the folders. */
  add(covers: readonly Cover[]): readonly Cover[];
  /** Nothing of this session runs any more: removes the covers, unless another session holds them. Returns those that stay. */
  release(): readonly Cover[];
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS holder (root TEXT, id TEXT, owner TEXT, PRIMARY KEY (root, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS cover (root TEXT, path TEXT, made_as TEXT, PRIMARY KEY (root, path)) WITHOUT ROWID;`;
/** For others, who hold the file for a few milliseconds. */
const LOCK_WAIT_MS = 10_000;

/** Opens the register. @param file one for all sessions of the user @param roots with links followed */
export function openCoverRegister(
  file: string,
  roots: readonly string[],
  place: Place = { host: hostname(), processes: systemProcesses(), clock: { now: Date.now } },
): CoverRegister {
  createIfMissing(file);
  const database = new DatabaseSync(file);
  // What a crash of the machine loses are empty folders.
  database.exec(`PRAGMA busy_timeout=${LOCK_WAIT_MS}; PRAGMA synchronous=OFF; ${SCHEMA}`);
  const id = randomUUID();
  const each = <Result>(work: (root: string) => readonly Result[]): readonly Result[] =>
    inTransaction({ database }, () => roots.flatMap(work));

  /** A worktree has parts in a repository outside of the roots. */
  const rootOf = (path: string): string => roots.find((root) => isInside(path, root)) ?? roots[0]!;

  function coversOf(root: string): readonly Cover[] {
    const rows = database.prepare("SELECT path, made_as FROM cover WHERE root = ?").all(root);
    return rows.map((row) => ({ path: String(row["path"]), as: row["made_as"] as Cover["as"] }));
  }

  function isHeldByOthers(root: string): boolean {
    const rows = database.prepare("SELECT id, owner FROM holder WHERE root = ? AND id <> ?").all(root, id);
    const dead = rows.filter((row) => !mayRun(JSON.parse(String(row["owner"])) as Owner, place));
    for (const row of dead) database.prepare("DELETE FROM holder WHERE id = ?").run(row["id"]!);
    return dead.length < rows.length;
  }

  function removeUnlessHeld(root: string): void {
    if (isHeldByOthers(root)) return;
    removeCovers(coversOf(root));
    database.prepare("DELETE FROM cover WHERE root = ?").run(root);
  }

  return {
    hold: () =>
      each((root) => {
        removeUnlessHeld(root);
        const owner = JSON.stringify(thisProcess(place));
        database.prepare("INSERT OR REPLACE INTO holder (root, id, owner) VALUES (?, ?, ?)").run(root, id, owner);
        return coversOf(root);
      }),
    add: (covers) =>
      each((root) => {
        const insert = database.prepare("INSERT OR IGNORE INTO cover (root, path, made_as) VALUES (?, ?, ?)");
        for (const { path, as } of covers) if (rootOf(path) === root) insert.run(root, path, as);
        return coversOf(root);
      }),
    release: () =>
      each((root) => {
        database.prepare("DELETE FROM holder WHERE root = ? AND id = ?").run(root, id);
        removeUnlessHeld(root);
        return coversOf(root);
      }),
  };
}

/** Never opens an existing file: closing it would drop the locks of this process (https://sqlite.org/howtocorrupt.html, 2.2). */
function createIfMissing(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** What the files hold that are made to mount something on. */
const AS_MADE = ["", ITSELF];

/** Only what is still as it was made. Inner ones first. */
function removeCovers(covers: readonly Cover[]): void {
  for (const { path, as } of covers.toSorted((one, other) => other.path.length - one.path.length)) {
    try {
      if (as === "folder") rmdirSync(path);
      else if (AS_MADE.includes(readFileSync(path, "utf8"))) unlinkSync(path);
    } catch {
      // It is gone, or the user has put something there.
    }
  }
}
