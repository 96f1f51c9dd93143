import type { Author, MemoryCommit } from "@palimpsest/memory";
import { blobId, type MemoryFiles } from "@palimpsest/memory/memory-parts";
import type { Row } from "../database.ts";
import { diffFiles } from "./diff-files.ts";

/** Calls a function of the schema for this memory. */
export type CallMemory = (name: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;

/** As many characters tell commits apart, as git has it. */
const COMMIT = /^[0-9a-f]{4,40}$/;

/** The history of a memory, from its commits. */
export function postgresHistory(call: CallMemory): Pick<MemoryFiles, "log" | "readCommit" | "diff"> {
  const findCommit = async (name: string | undefined): Promise<readonly Row[]> =>
    name === undefined || COMMIT.test(name) ? call("read_commit", name ?? null) : [];
  return {
    async log(limit) {
      const rows = await call("list_commits", limit);
      return { kind: "log", commits: [...Map.groupBy(rows, (row) => String(row["id"])).values()].map(toCommit) };
    },
    async readCommit(name) {
      const rows = await findCommit(name);
      const [first] = rows;
      if (first === undefined) return undefined;
      return {
        commit: String(first["id"]),
        message: String(first["message"]),
        changes: rows.map((row) => {
          const [before, after] = [textIn(row, "before_content"), textIn(row, "content")];
          return {
            path: String(row["path"]),
            before:
              before === undefined ? undefined : { bytes: Buffer.from(before), author: row["before_author"] as Author },
            after: after === undefined ? undefined : blobId(Buffer.from(after)),
          };
        }),
      };
    },
    async diff(name) {
      const rows = await findCommit(name);
      const [first] = rows;
      if (first === undefined) return { kind: "unknown-commit" };
      const texts = rows.map((row) =>
        diffFiles({ path: String(row["path"]), before: textIn(row, "before_content"), after: textIn(row, "content") }),
      );
      return { kind: "diff", commit: String(first["id"]), text: (await Promise.all(texts)).join("") };
    },
  };
}

function toCommit(rows: readonly Row[]): MemoryCommit {
  const { id, author, at_ms: atMs, message } = rows[0]!;
  return {
    commit: String(id),
    by: author as Author,
    atMs: Number(atMs),
    message: String(message),
    changes: rows.map(({ path, how }) => ({ path: String(path), how: how as "added" | "changed" | "removed" })),
  };
}

function textIn(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : String(row[column]);
}
