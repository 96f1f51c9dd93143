import { carryThrough } from "./carry-out.ts";
import { commitDesk, type Desk, noteFile, noteGone, place, readFile, refreshRow, writeIndex } from "./desk.ts";
import type { OwnFile } from "./files/own-file.ts";
import { findLateEdits, removePrepared } from "./files/place-file.ts";
import { type MemoryProblem, scanFiles } from "./files/scan-files.ts";
import { findDifferences } from "./find-differences.ts";
import { BRANCH } from "./history/commit-files.ts";
import { blobId, readLooseObject, readReference } from "./history/objects.ts";
import { readBlobs, readNewest } from "./history/read-history.ts";
import { INDEX_PATH, pathOf, readPath } from "./paths.ts";
import { freeSlug } from "./slug.ts";
import type { Author } from "./topic.ts";
import { readTopicText } from "./topic-text.ts";
import { forgottenText } from "./waiting-text.ts";

/**
 * What every writer does first: carry through what another has left behind, and take in what was edited by hand, each as what
 * it is. Afterwards rows, index and history say what the files say. Files that look as they did are not read.
 */
export async function bringInStep(desk: Desk): Promise<readonly MemoryProblem[]> {
  removePrepared(desk.folders);
  await carryThrough(desk);
  const edited = new Set(await takeInLateEdits(desk));
  const { files, problems } = scanFiles(desk.folders);
  const { toRead, gone } = findDifferences(files, desk.rows);
  const origin = toRead.length === 0 ? byHand : await createOrigin(desk);
  let found = 0;
  for (const path of toRead) {
    const file = readFile(desk, path);
    if (file === undefined) continue;
    if (file.version === desk.rows.get(path)?.version) {
      refreshRow(desk, path, file);
      continue;
    }
    const { author, written } = origin(path, file);
    noteFile(desk, path, file, { author, written });
    if (written === "by-hand") edited.add(path);
    else found++;
  }
  for (const path of gone) {
    await keepForgotten(desk, path);
    noteGone(desk, path, "user");
    edited.add(path);
  }
  if (edited.size + found === 0) return problems;
  // As it was edited, before it is made to say what the topics say.
  if (edited.has(INDEX_PATH)) await commitDesk(desk, "user", editMessage(edited));
  await writeIndex(desk);
  await commitDesk(desk, "user", edited.size > 0 ? editMessage(edited) : `taken over: ${found} files`);
  return problems;
}

interface Origin {
  readonly author: Author;
  readonly written: "by-us" | "by-hand";
}

const byHand = (): Origin => ({ author: "user", written: "by-hand" });

/**
 * Whose a file is that is not as it was known. By hand, as a rule. Where history goes on beyond what the rows know (they were
 * lost), it tells; and where there is none either, the file itself does.
 */
async function createOrigin(desk: Desk): Promise<(path: string, file: OwnFile) => Origin> {
  const head = readReference(desk.gitFolder, BRANCH);
  if (head !== undefined && head === desk.index.noted("head")) return byHand;
  const newest = head === undefined ? undefined : await readNewest(desk.git);
  if (newest !== undefined && !("kind" in newest)) {
    return (path, { bytes }) => {
      const known = newest.get(path);
      return known?.blob === blobId(bytes) ? { author: known.by, written: "by-us" } : byHand();
    };
  }
  if (desk.rows.size > 0 && head === undefined) return byHand;
  return (path, { bytes }) => ({
    author: readTopicText(bytes.toString(), readPath(path)?.slug ?? "").author ?? "user",
    written: "by-us",
  });
}

/** An editor that had a file open while we replaced it has saved it all the same. What it saved wins, and is the newest. */
async function takeInLateEdits(desk: Desk): Promise<string[]> {
  const late = findLateEdits(desk.folders, Date.now());
  for (const { path, file } of late) {
    const version = readFile(desk, path)?.version ?? "none";
    const isOurs = version === (desk.rows.get(path)?.version ?? "none");
    const change = { path, before: version, after: file.bytes };
    const placed = isOurs ? await place(desk, change) : "stale";
    noteFile(desk, path, (placed === "placed" && readFile(desk, path)) || file, byHand());
    // Where another edit by hand stands there already, that is the newer one; history has both.
    if (placed === "stale") await commitDesk(desk, "user", editMessage([path]));
  }
  return late.map(({ path }) => path);
}

/** A topic that was removed by hand is remembered as forgotten, so that it is not learned a second time. */
async function keepForgotten(desk: Desk, path: string): Promise<void> {
  const row = desk.rows.get(path);
  const at = readPath(path);
  if (at?.place !== "topic" || row?.blob === undefined) return;
  const isElsewhere = [...desk.rows.values()].some((other) => other.path !== path && other.blob === row.blob);
  const content = isElsewhere ? undefined : await readContent(desk, row.blob);
  if (content === undefined) return;
  const facts = { topic: at.slug, by: "user", because: "removed by hand", nowMs: desk.nowMs } as const;
  const isTaken = (slug: string): boolean => readFile(desk, pathOf("forgotten", slug)) !== undefined;
  const kept = pathOf("forgotten", freeSlug(at.slug, isTaken));
  const after = Buffer.from(forgottenText(content.toString(), facts));
  if ((await place(desk, { path: kept, before: "none", after })) === "stale") return;
  const file = readFile(desk, kept);
  if (file !== undefined) noteFile(desk, kept, file, { author: "user", written: "by-us" });
}

async function readContent(desk: Desk, blob: string): Promise<Buffer | undefined> {
  const loose = readLooseObject(desk.gitFolder, blob);
  if (loose !== undefined) return loose;
  const found = await readBlobs(desk.git, [blob]);
  return "kind" in found ? undefined : found.get(blob);
}

function editMessage(paths: Iterable<string>): string {
  const all = [...paths].sort();
  const more = all.length > 5 ? ` and ${all.length - 5} more` : "";
  return `edited by hand: ${all.slice(0, 5).join(", ")}${more}`;
}
