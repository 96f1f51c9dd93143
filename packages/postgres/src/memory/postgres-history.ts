import type { Author, CommittedChange, MemoryCommit } from "@palimpsest/memory";
import { blobId, type MemoryFiles } from "@palimpsest/memory/memory-parts";
import type { Row } from "../database.ts";
import { diffFiles, type FileTexts } from "./diff-files.ts";
import type { MemorySeals } from "./memory-seals.ts";

/** Calls a function of the schema for this memory. */
export type CallMemory = (name: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;

/** As many characters tell commits apart, as git has it. */
const COMMIT = /^[0-9a-f]{4,40}$/;

/** The history of a memory, from its commits. Texts whose keys are lost are left out. */
export function postgresHistory(
  call: CallMemory,
  seals: MemorySeals,
): Pick<MemoryFiles, "log" | "readCommit" | "diff"> {
  const openIn = async (row: Row, column: string, number: unknown, what: string): Promise<string | undefined> =>
    row[column] === null ? undefined : seals.open(String(row[column]), Number(number), what);
  const pathIn = (row: Row): Promise<string | undefined> => openIn(row, "name", row["number"], "path");

  async function toCommit(rows: readonly Row[]): Promise<MemoryCommit> {
    const [first] = rows as readonly [Row];
    const changes = rows.map(async (row) => {
      const path = await pathIn(row);
      return path === undefined ? [] : [{ path, how: row["how"] as CommittedChange["how"] }];
    });
    return {
      commit: String(first["id"]),
      by: first["author"] as Author,
      atMs: Number(first["at_ms"]),
      message: (await openIn(first, "message", first["number"], "message")) ?? "",
      changes: (await Promise.all(changes)).flat().sort(byPath),
    };
  }

  /** Undefined if there is no such commit, or more than one. */
  async function findCommit(name: string | undefined): Promise<FoundCommit | undefined> {
    const rows = name === undefined || COMMIT.test(name) ? await call("read_commit", name ?? null) : [];
    const [first] = rows;
    if (first === undefined) return undefined;
    const files = rows.map(async (row) => {
      const path = await pathIn(row);
      if (path === undefined) return [];
      const before = await openIn(row, "before_content", row["before_number"], path);
      const after = await openIn(row, "content", row["number"], path);
      return [{ path, before, after, author: row["before_author"] as Author }];
    });
    return {
      commit: String(first["id"]),
      message: (await openIn(first, "message", first["number"], "message")) ?? "",
      files: (await Promise.all(files)).flat().sort(byPath),
    };
  }

  return {
    async log(limit) {
      const commits = Map.groupBy(await call("list_commits", limit), (row) => String(row["id"]));
      return { kind: "log", commits: await Promise.all([...commits.values()].map(toCommit)) };
    },
    async readCommit(name) {
      const found = await findCommit(name);
      if (found === undefined) return undefined;
      const { commit, message, files } = found;
      const changes = files.map(({ path, before, after, author }) => ({
        path,
        before: before === undefined ? undefined : { bytes: Buffer.from(before), author },
        after: after === undefined ? undefined : blobId(Buffer.from(after)),
      }));
      return { commit, message, changes };
    },
    async diff(name) {
      const found = await findCommit(name);
      if (found === undefined) return { kind: "unknown-commit" };
      const texts = await Promise.all(found.files.map(diffFiles));
      return { kind: "diff", commit: found.commit, text: texts.join("") };
    },
  };
}

interface FoundCommit {
  readonly commit: string;
  readonly message: string;
  /** The author is that of the content before. */
  readonly files: readonly (FileTexts & { readonly author: Author })[];
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}
