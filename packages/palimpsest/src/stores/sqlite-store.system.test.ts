import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EMPTY_LOG, type Entry, type LogHead, sealEntries } from "../log/entry.ts";

import { sha256 } from "./sha256.ts";
import { sqliteStore } from "./sqlite-store.ts";
import type { LogReader, LogWriter, Store } from "./store.ts";

let disk: string;
let path: string;

beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), "sqlite-store-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]);
  path = join(disk, "s.sqlite");
});

afterEach(() => {
  execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true });
});

describe("a store on a separate file system", () => {
  test("that is full: writes nothing partially, stays readable, and continues when there is space", async () => {
    const full = sqliteStore({ folder: disk });
    const writer = await openWriter(full);
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(1_200_000));
    const written: Entry[] = [];
    let failure: unknown;
    while (failure === undefined && written.length < 1_000) {
      const batch = seal(3, headOf(written), "x".repeat(5_000));
      try {
        await writer.append(batch);
        written.push(...batch);
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toMatchObject({ code: "storage-failed", reason: "disk-full", path });
    expect((failure as Error).message).toMatch(/Free some space/);
    expect(await writer.head()).toEqual(headOf(written));
    expect(await writer.read(1, 1e9)).toEqual(written);
    await expect(writer.append(seal(200, headOf(written), "y".repeat(9_000)))).rejects.toMatchObject({
      reason: "disk-full",
    });
    await expect(full.openWriter("other", { owner: "x" })).rejects.toMatchObject({ reason: "disk-full" });
    expect(await full.list()).toEqual({ sessions: [{ id: "s" }] });
    rmSync(ballast);
    const more = seal(3, headOf(written), "z");
    expect(await writer.append(more)).toMatchObject({ kind: "appended" });
    expect(await writer.read(1, 1e9)).toEqual([...written, ...more]);
    await full.close();
    expect(readdirSync(disk)).toEqual(["s.sqlite"]);
  });

  test("that is read-only: reads a closed log, refuses to write, and writes again when it can", async () => {
    const there = sqliteStore({ folder: disk });
    const writer = await openWriter(there);
    await writer.append(seal(2));
    await writer.close();
    execFileSync("mount", ["-o", "remount,ro", disk]);
    const reader = await openReader(there);
    expect(await reader.read(1, 9)).toEqual(seal(2));
    expect(await reader.newest("message")).toEqual(seal(2)[1]);
    const refused = { code: "storage-failed", reason: "read-only", path };
    await expect(there.openWriter("s", { owner: "x", takeover: "always" })).rejects.toMatchObject(refused);
    await expect(there.openWriter("new", { owner: "x" })).rejects.toMatchObject({ reason: "read-only" });
    execFileSync("mount", ["-o", "remount,rw", disk]);
    const again = await openWriter(there);
    expect(await again.append(seal(1, await again.head()))).toMatchObject({ kind: "appended", head: { sequence: 3 } });
    expect(await reader.head()).toMatchObject({ sequence: 3 });
    await there.close();
  });

  test("that is read-only: reads the log of a crashed process if SQLite can, or reports why not", async () => {
    const there = sqliteStore({ folder: disk });
    await (await openWriter(there)).append(seal(2));
    for (const suffix of ["", "-wal", "-shm"]) copyFileSync(path + suffix, join(disk, `crashed.sqlite${suffix}`));
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, join(disk, `moved.sqlite${suffix}`));
    await there.close();
    execFileSync("mount", ["-o", "remount,ro", disk]);
    const after = sqliteStore({ folder: disk });
    expect(await (await after.openReader("crashed"))?.read(1, 9)).toEqual(seal(2));
    await expect(after.openWriter("crashed", { owner: "x", takeover: "always" })).rejects.toMatchObject({
      reason: "read-only",
    });
    await expect(after.openReader("moved")).rejects.toMatchObject({ code: "storage-failed", reason: "needs-folder" });
    await after.close();
  });
});

async function openWriter(from: Store): Promise<LogWriter> {
  const result = await from.openWriter("s", { owner: "test" });
  if (result.kind === "busy") throw new Error(`busy: ${result.owner}`);
  return result.writer;
}

async function openReader(from: Store): Promise<LogReader> {
  const reader = await from.openReader("s");
  if (reader === undefined) throw new Error("the log does not exist");
  return reader;
}

function seal(count: number, head: LogHead = EMPTY_LOG, text = "text"): Entry[] {
  const drafts = Array.from({ length: count }, () => ({ kind: "message", version: 1, payload: JSON.stringify(text) }));
  return sealEntries(drafts, { head, atMs: 1_700_000_000_000, digest: sha256 });
}

function headOf(entries: readonly Entry[]): LogHead {
  const { sequence, hash } = entries.at(-1) ?? EMPTY_LOG;
  return { sequence, hash };
}
