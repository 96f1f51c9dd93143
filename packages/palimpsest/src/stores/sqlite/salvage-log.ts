import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkChain } from "../../log/check-chain.ts";
import { type Digest, EMPTY_LOG, type Entry } from "../../log/entry.ts";
import { copyDamaged } from "./copy-damaged.ts";
import { messageOf } from "./errors.ts";
import { createFindings, type Findings, type SalvageProblem } from "./findings.ts";
import { readByBytes, readBySqlite } from "./salvage.ts";

/** How entries are checked, and where the copy is made. */
export interface SalvageOptions {
  /** The digest that sealed the entries. */
  readonly digest: Digest;
  /** Folder for a copy of the damaged file while this runs. @default the system's folder for temporary files */
  readonly temporaryFolder?: string;
}

/** The entries that were found, the numbers that are missing, and the damage. */
export interface SalvagedLog {
  /** In order. Each payload matches its digest (or was erased), and all other fields match their checksum. */
  readonly entries: readonly Entry[];
  /** The missing entry numbers, up to and including the highest number seen. */
  readonly missing: readonly number[];
  readonly problems: readonly SalvageProblem[];
}

/**
 * Reads everything that is left of a damaged log, from a copy: the file and its -wal do not change. Reads the bytes
 * first, because SQLite gives up a whole branch for one bad page and everything after one bad frame of the -wal; then
 * reads through SQLite. Never throws, whatever the bytes. Holds all entries in memory.
 */
export async function salvageLog(path: string, options: SalvageOptions): Promise<SalvagedLog> {
  const { digest, temporaryFolder = tmpdir() } = options;
  const problems: SalvageProblem[] = [];
  const found = createFindings(digest);
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(temporaryFolder, "palimpsest-salvage-"));
    const copy = join(folder, "copy.sqlite");
    for (const suffix of ["", "-wal"]) {
      const problem = copyDamaged(path + suffix, copy + suffix);
      // A closed log has no -wal.
      if (problem !== undefined && !(suffix === "-wal" && problem.endsWith("does not exist")))
        problems.push({ kind: "file", detail: problem });
    }
    problems.push(...readByBytes(copy, found));
    // After the bytes, because SQLite writes the -wal into its file.
    problems.push(...readBySqlite(copy, found));
  } catch (error) {
    problems.push({ kind: "file", detail: messageOf(error) });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
  return judge(found, { digest, problems });
}

function judge(found: Findings, options: { digest: Digest; problems: SalvageProblem[] }): SalvagedLog {
  const { problems, digest } = options;
  const entries = [...found.entries.values()].sort((one, other) => one.sequence - other.sequence);
  let highest = entries.at(-1)?.sequence ?? 0;
  for (const sequence of found.withoutPayload) highest = Math.max(highest, sequence);
  // An index has no checksum: its numbers count only if they continue the numbers of rows.
  while (found.indexed.has(highest + 1)) highest++;
  const missing: number[] = [];
  for (let sequence = 1; sequence <= highest; sequence++) if (!found.entries.has(sequence)) missing.push(sequence);
  for (const number of found.withoutPayload) {
    if (!found.entries.has(number))
      problems.push({ kind: "payload", number, detail: `the payload of entry ${number} does not match its digest` });
  }
  for (const { sequence: number, what } of checkChain(entries, EMPTY_LOG, digest)) {
    if (what === "chain")
      problems.push({ kind: "chain", number, detail: `entry ${number} does not continue the one before` });
  }
  return { entries, missing, problems };
}
