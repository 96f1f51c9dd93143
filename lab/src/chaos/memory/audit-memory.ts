import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openMemory } from "@palimpsest/memory";
import { isTorn } from "./marked-body.ts";
import type { RaceRecord } from "./race-memory.ts";

/** Counts of events that must not happen. */
export interface MemoryLosses {
  /** Acknowledged, and neither in the files nor in history. */
  readonly lost: number;
  /** Two changes were acknowledged that were made upon the same version of a topic: one has overwritten the other. */
  readonly overwritten: number;
  /** Contents that begin and do not end. */
  readonly torn: number;
  /** Topics without a line in the index, lines without a topic, lines that say something else. */
  readonly indexDiffers: number;
  /** Files that are not what the newest commit has. */
  readonly historyDiffers: number;
  readonly handEditsLost: number;
}

/** Looks at what is left with other eyes than those of the memory: git's, and plain reading. */
export async function auditMemory(folder: string, record: RaceRecord): Promise<MemoryLosses> {
  const memory = await openMemory({ folder });
  const topics = await memory.list();
  await memory.close();
  const history = readHistory(folder);
  const files = readFiles(folder);
  const versions = new Set([...history.contents, ...files.values()].map((content) => hash("sha256", content, "hex")));
  const texts = [...history.contents, ...files.values()].map(String);
  const written = record.acknowledged.flatMap((change) => change.written);
  const swaps = written
    .filter(({ expected }) => expected !== "none")
    .map(({ slug, expected }) => `${slug} ${expected}`);
  const index = String(files.get("MEMORY.md") ?? "").split("\n");
  const expectedLines = topics.map(({ name, slug, description }) => `- [${name}](${slug}.md): ${description}`);
  const foundLines = index.filter((line) => /^- \[.*\]\([a-z0-9_-]+\.md\)/.test(line));
  return {
    lost:
      record.acknowledged.filter(({ commit }) => !history.commits.has(commit)).length +
      written.filter(({ version }) => !versions.has(version)).length,
    overwritten: swaps.length - new Set(swaps).size,
    torn: record.tornReads + texts.filter(isTorn).length,
    indexDiffers: differences(expectedLines, foundLines),
    historyDiffers: differences(
      [...files].map(([name, content]) => `${name} ${hash("sha256", content, "hex")}`),
      history.newest,
    ),
    handEditsLost: record.edits.filter((mark) => !texts.some((text) => text.includes(mark))).length,
  };
}

interface ReadHistory {
  readonly commits: ReadonlySet<string>;
  readonly contents: readonly Buffer[];
  /** Name and version of each file of the newest commit. */
  readonly newest: readonly string[];
}

function readHistory(folder: string): ReadHistory {
  const git = (args: readonly string[], input = ""): Buffer =>
    execFileSync("git", ["--git-dir", join(folder, ".palimpsest/history.git"), ...args], { input, maxBuffer: 2 ** 31 });
  // Every object that a commit leads to is there, and is what its name says.
  git(["fsck", "--full", "--strict", "--no-dangling"]);
  const lines = String(git(["rev-list", "--objects", "main"]))
    .split("\n")
    .filter(Boolean);
  const blobs = new Map<string, Buffer>();
  const answer = git(["cat-file", "--batch"], lines.map((line) => `${line.slice(0, 40)}\n`).join(""));
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf(10, at);
    const [id = "", kind, size] = String(answer.subarray(at, end)).split(" ");
    if (kind === "blob") blobs.set(id, answer.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  const newest = String(git(["ls-tree", "-r", "main"]))
    .split("\n")
    .filter(Boolean);
  return {
    commits: new Set(String(git(["rev-list", "main"])).split("\n")),
    contents: [...blobs.values()],
    newest: newest.map((line) => {
      const [, , id = ""] = line.split(/[ \t]/);
      return `${line.split("\t")[1]} ${hash("sha256", blobs.get(id) ?? "", "hex")}`;
    }),
  };
}

function readFiles(folder: string): ReadonlyMap<string, Buffer> {
  const names = ["", "inbox", "forgotten"].flatMap((inner) => {
    const at = join(folder, inner);
    return (inner === "" || readdirSync(folder).includes(inner) ? readdirSync(at) : [])
      .filter((name) => name.endsWith(".md"))
      .map((name) => (inner === "" ? name : `${inner}/${name}`));
  });
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

function differences(expected: readonly string[], found: readonly string[]): number {
  const [left, right] = [new Set(expected), new Set(found)];
  return left.symmetricDifference(right).size + (found.length - right.size);
}
