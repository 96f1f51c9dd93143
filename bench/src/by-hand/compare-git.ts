import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemory } from "@palimpsest/memory";
import git from "isomorphic-git";
import type { Figures } from "../bench.ts";

const AUTHOR = { name: "user", email: "user@memory.invalid", timestamp: 1_750_000_000, timezoneOffset: 0 };

/**
 * A whole write of a topic by us (checked, kept on the disk, indexed, in history) beside the commit alone by isomorphic-git,
 * which waits for no disk. What we wrote is then checked by git itself.
 */
export async function compareGit(topics: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-git-"));
  const memory = await openMemory({ folder: join(folder, "memory") });
  const oursMs: number[] = [];
  for (let number = 0; number < topics; number++) {
    const draft = {
      name: `Topic ${number}`,
      type: "project" as const,
      description: `About ${number}.`,
      body: bodyOf(number),
    };
    oursMs.push(await timed(() => memory.write(draft, "user", "none")));
  }
  const history = fs
    .readdirSync(memory.folder, { recursive: true, withFileTypes: true })
    .find((entry) => entry.name === "HEAD" && entry.isFile())!.parentPath;
  await memory.close();
  const checked = spawnSync("git", ["--git-dir", history, "fsck", "--strict", "--full"], { encoding: "utf8" });
  const seen = countedFiles();
  const theirsMs = await commitByIsomorphicGit(seen.files, join(folder, "isomorphic"), topics);
  await rm(folder, { recursive: true });
  return {
    topics,
    our_objects_pass_git_fsck: checked.status === 0 && !/error|missing|dangling/.test(checked.stdout + checked.stderr),
    our_whole_write_ms: median(oursMs),
    isomorphic_commit_ms: median(theirsMs),
    isomorphic_files_written: seen.calls("writeFile"),
    isomorphic_files_renamed_into_place: seen.calls("rename"),
  };
}

type Files = Pick<typeof fs, "promises">;

/** The file system, with how often each of its functions was called: who writes in place leaves half a file when killed. */
function countedFiles(): { readonly files: Files; calls(name: string): number } {
  const counts = new Map<string, number>();
  const promises = new Proxy(fs.promises, {
    get(target, name: keyof typeof fs.promises) {
      const member: unknown = target[name];
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return Reflect.apply(member, target, values) as unknown;
      };
    },
  });
  return { files: { promises }, calls: (name) => counts.get(name) ?? 0 };
}

async function commitByIsomorphicGit(files: Files, folder: string, topics: number): Promise<readonly number[]> {
  const repository = { fs: files, dir: folder, gitdir: folder };
  await git.init({ ...repository, bare: true, defaultBranch: "main" });
  const entries: { mode: string; path: string; oid: string; type: "blob" }[] = [];
  const took: number[] = [];
  for (let number = 0; number < topics; number++) {
    took.push(
      await timed(async () => {
        const oid = await git.writeBlob({ ...repository, blob: Buffer.from(bodyOf(number)) });
        entries.push({ mode: "100644", path: `topic-${number}.md`, oid, type: "blob" });
        const tree = await git.writeTree({ ...repository, tree: entries });
        await git.commit({ ...repository, tree, message: `topic ${number}`, author: AUTHOR, ref: "refs/heads/main" });
      }),
    );
  }
  return took;
}

function bodyOf(number: number): string {
  return `The value of ${number} is ${number * 7}. Why: it was measured. How to apply: look it up first.`;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await act();
  return performance.now() - before;
}

function median(values: readonly number[]): number {
  return Number(values.toSorted((one, other) => one - other)[values.length >> 1]!.toFixed(2));
}
