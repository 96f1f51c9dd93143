import { readAuthors } from "../../history/commit-objects.ts";
import type { CommittedChange, MemoryCommit, NoHistory } from "../../memory-files.ts";
import type { Author } from "../../topic.ts";
import { BRANCH } from "./commit-files.ts";
import type { Git } from "./git.ts";

/** A change of one file, with git's names for both contents; undefined: the file is absent. */
export interface BlobChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

interface RawCommit extends Omit<MemoryCommit, "changes"> {
  readonly changes: readonly BlobChange[];
  /** Of files that are not of the commit's own author. */
  readonly authors: ReadonlyMap<string, Author>;
}

const RAW = ["--raw", "--no-renames", "--no-abbrev", "--no-show-signature"];
const FORMAT = "--format=%x02%H%x1f%an%x1f%at%x1f%s%x1f%b%x1e";
const LINE = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\t(.*)$/;

export async function readLog(
  git: Git,
  limit: number,
): Promise<{ readonly kind: "log"; readonly commits: readonly MemoryCommit[] } | NoHistory> {
  const commits = await readCommits(git, [`--max-count=${limit}`, BRANCH]);
  if ("kind" in commits) return commits;
  const toChange = ({ path, before, after }: BlobChange): CommittedChange => ({
    path,
    how: before === undefined ? "added" : after === undefined ? "removed" : "changed",
  });
  return {
    kind: "log",
    commits: commits.map(({ authors: _, ...commit }) => ({ ...commit, changes: commit.changes.map(toChange) })),
  };
}

/** Returns one commit by its name or prefix; the newest without one. Undefined if there is no such commit. */
export async function readCommit(git: Git, name?: string): Promise<RawCommit | NoHistory | undefined> {
  if (name !== undefined && !/^[0-9a-f]{4,40}$/.test(name)) return undefined;
  const commits = await readCommits(git, ["--max-count=1", name ?? BRANCH]);
  // An unknown name is no failure; a missing git is.
  if (!("kind" in commits)) return commits[0];
  return (await git(["rev-parse", "--verify", "--quiet", BRANCH])).kind === "answered" ? undefined : commits;
}

/** The newest change of each file, from a commit on: its content in history, and its author. */
export async function readNewest(
  git: Git,
  from: string = BRANCH,
): Promise<ReadonlyMap<string, { readonly blob: string | undefined; readonly by: Author }> | NoHistory> {
  const commits = await readCommits(git, [from]);
  if ("kind" in commits) return commits;
  const newest = new Map<string, { blob: string | undefined; by: Author }>();
  for (const { by, changes, authors } of commits) {
    for (const { path, after } of changes) {
      if (!newest.has(path)) newest.set(path, { blob: after, by: authors.get(path) ?? by });
    }
  }
  return newest;
}

/** The diff of one commit, as git shows it. The index is left out, because it follows from the topics. */
export async function readDiff(git: Git, commit: string): Promise<{ kind: "diff"; text: string } | NoHistory> {
  const what = ["-p", "--root", "-r", "--no-commit-id", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv"];
  const answer = await git(["diff-tree", ...what, commit, "--", ".", ":(exclude)MEMORY.md"]);
  if (answer.kind !== "answered") return { kind: "no-history", why: answer.why };
  return { kind: "diff", text: answer.output.toString() };
}

/** Contents by git's names for them. */
export async function readBlobs(git: Git, ids: readonly string[]): Promise<ReadonlyMap<string, Buffer> | NoHistory> {
  const answer = await git(["cat-file", "--batch"], ids.map((id) => `${id}\n`).join(""));
  if (answer.kind !== "answered") return { kind: "no-history", why: answer.why };
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < answer.output.length; ) {
    const end = answer.output.indexOf(10, at);
    const [id = "", kind, size] = answer.output.subarray(at, end).toString().split(" ");
    if (kind === "missing" || size === undefined) return { kind: "no-history", why: `history lacks ${id}` };
    contents.set(id, answer.output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return contents;
}

async function readCommits(git: Git, what: readonly string[]): Promise<readonly RawCommit[] | NoHistory> {
  const answer = await git(["log", ...RAW, FORMAT, ...what, "--"]);
  if (answer.kind !== "answered") return { kind: "no-history", why: answer.why };
  return answer.output
    .toString()
    .split("\x02")
    .slice(1)
    .map((text) => {
      const [head = "", raw = ""] = text.split("\x1e");
      const [commit = "", by = "", at = "", message = "", body = ""] = head.split("\x1f");
      const changes = raw.split("\n").flatMap((line) => {
        const [, before, after, path] = LINE.exec(line) ?? [];
        return path === undefined ? [] : [{ path, before: presentId(before), after: presentId(after) }];
      });
      return { commit, by: by as Author, atMs: Number(at) * 1_000, message, changes, authors: readAuthors(body) };
    });
}

function presentId(id: string | undefined): string | undefined {
  return id === undefined || /^0+$/.test(id) ? undefined : id;
}
