import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { salvageLog, sqliteStore } from "palimpsest/sqlite";
import { type Draft, EMPTY_LOG, type Entry, sealEntries, sha256 } from "palimpsest/store-parts";
import { readLog, takeLog } from "./open-log.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

export interface DamageFigures {
  readonly damagedFiles: number;
  /** Files whose bytes were not the same after they had been opened and salvaged. */
  readonly damagedOverwritten: number;
  /** Entries that came back and had never been written, or not so. */
  readonly falseEntries: number;
  /** Numbers that were missing from what came back and were not named. */
  readonly missingUnnamed: number;
  /** Of all entries of all damaged files, the share that came back. */
  readonly salvagedPct: number;
  /** Files that were neither read to the end nor reported as damaged when they were opened as usual. */
  readonly silent: number;
}

/** Flips bytes in, and cuts pieces from, the file of a log; then opens it as usual, and salvages it. */
export async function damageFiles(count: number): Promise<DamageFigures> {
  return inTemporaryFolder(async (folder) => {
    const { path, written } = await writeLog(folder);
    const whole = await readFile(path);
    const figures = { damagedFiles: 0, damagedOverwritten: 0, falseEntries: 0, missingUnnamed: 0, silent: 0 };
    let salvaged = 0;
    for (let index = 0; index < count; index++) {
      const damaged = damage(whole, index);
      const victim = join(folder, "victim.sqlite");
      await writeFile(victim, damaged);
      const read = await readLog(folder, "victim").catch(() => "error" as const);
      const result = await salvageLog(victim, { digest: sha256 });
      figures.damagedFiles++;
      if (!(await readFile(victim)).equals(damaged)) figures.damagedOverwritten++;
      const found = new Set(result.entries.map(({ sequence }) => sequence));
      figures.falseEntries += result.entries.filter((entry) => !isWritten(entry, written)).length;
      const highest = Math.max(0, ...found);
      for (let number = 1; number < highest; number++) {
        if (!found.has(number) && !result.missing.includes(number)) figures.missingUnnamed++;
      }
      if (read !== "error" && (read.some((entry) => !isWritten(entry, written)) || read.length < found.size))
        figures.silent++;
      salvaged += found.size;
    }
    const salvagedPct = Number(((100 * salvaged) / (written.length * count)).toFixed(2));
    return { ...figures, salvagedPct };
  });
}

function isWritten(entry: Entry, written: readonly Entry[]): boolean {
  const original = written[entry.sequence - 1];
  return original !== undefined && JSON.stringify(original) === JSON.stringify(entry);
}

/** A log of some hundred kilobytes with entries of all sizes, folded into one file. */
async function writeLog(folder: string): Promise<{ path: string; written: readonly Entry[] }> {
  const store = sqliteStore({ folder });
  const writer = await takeLog(store, "original");
  const drafts = Array.from({ length: 120 }, (_, index): Draft => {
    const text = `${index} `.repeat(index % 10 === 0 ? 4_000 : 40 + (index % 7) * 60);
    return { kind: index % 12 === 0 ? "boundary" : "message", version: 1, payload: JSON.stringify({ text }) };
  });
  await writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 }));
  const written = await writer.read(1, drafts.length);
  await store.close();
  const path = join(folder, "copy.sqlite");
  await copyFile(join(folder, "original.sqlite"), path);
  return { path, written };
}

/** Deterministic for its number: a few flipped bytes, a run of zeros, or a cut. */
function damage(whole: Buffer, number: number): Buffer {
  const random = numbers(number);
  const bytes = Buffer.from(whole);
  if (number % 5 === 0) return bytes.subarray(0, Math.floor(random() * bytes.length));
  if (number % 5 === 1) return bytes.fill(0, Math.floor(random() * bytes.length)).subarray(0, bytes.length);
  for (let flips = 1 + (number % 8); flips > 0; flips--) {
    const at = Math.floor(random() * bytes.length);
    bytes[at] = bytes[at]! ^ (1 + Math.floor(random() * 255));
  }
  return bytes;
}

function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296;
  };
}
