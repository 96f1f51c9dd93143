import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { manualStoreClock } from "../contract/store-case.ts";
import { sqliteStore } from "../sqlite-store.ts";
import type { Store } from "../store.ts";
import { findOwner } from "./lease.ts";

let folder: string;
const stores: Store[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "writer-lease-"));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const store of stores.splice(0)) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<Parameters<typeof sqliteStore>[0]> = {}): Store {
  const store = sqliteStore({ folder, ...options });
  stores.push(store);
  return store;
}

/** Starts another process that has the log open and does nothing. */
async function holdElsewhere(sessions: readonly string[] = ["s"]): Promise<ChildProcess> {
  const script = `const { sqliteStore } = await import(${JSON.stringify(import.meta.resolve("../sqlite-store.ts"))});
    const store = sqliteStore({ folder: ${JSON.stringify(folder)} });
    for (const session of ${JSON.stringify(sessions)}) await store.openWriter(session, { owner: "the other" });
    process.stdout.write("open");
    process.stdin.on("data", async () => { await store.close(); process.exit(); });`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script]);
  children.push(child);
  await once(child.stdout, "data");
  return child;
}

describe("a log that another process has open", () => {
  test("is free at once when that process is killed, like all of its other logs", async () => {
    const child = await holdElsewhere(["s", "t"]);
    const store = open();
    expect(await store.openWriter("s", { owner: "me" })).toMatchObject({ kind: "busy", owner: "the other" });
    const { activeAtMs, freeAtMs } = (await store.writerOf("t"))!;
    expect(freeAtMs - activeAtMs).toBe(30_000);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await store.writerOf("s")).toBeUndefined();
    for (const session of ["s", "t"])
      expect(await store.openWriter(session, { owner: "me" })).toMatchObject({ kind: "opened" });
  });

  test("becomes free once that process closes it", async () => {
    const child = await holdElsewhere();
    child.stdin!.write("close");
    await once(child, "exit");
    const store = open();
    expect(await store.openWriter("s", { owner: "me" })).toMatchObject({ kind: "opened" });
    await store.close();
    expect(readdirSync(folder)).toEqual(["s.sqlite"]);
  });
});

test("writerOf leaves no connection open", async () => {
  const [one, other] = [open(), open()];
  await one.openWriter("s", { owner: "me" });
  expect(await other.openWriter("s", { owner: "you" })).toMatchObject({ kind: "busy" });
  expect(await other.writerOf("s")).toMatchObject({ owner: "me" });
  await one.close();
  expect(readdirSync(folder)).toEqual(["s.sqlite"]);
});

test("the log of a silent writer is free, even if the clock was turned back", async () => {
  const clock = { now: () => 1_000_000 };
  const self = { pid: 1, realm: "this one" };
  const processes = { self, find: () => ({ kind: "unknown" as const }), ticksMs: () => 100_000 };
  const place = { host: "here", processes, clock };
  const writer = { fence: 1, owner: "the other", state: "open", activeAtMs: 5_000_000, beat: "b" } as const;
  const beat = { ...self, host: "here", renewedAtMs: 5_000_000, leaseMs: 30_000 };
  expect(findOwner(writer, { ...beat, renewedTicksMs: 60_000 }, { place, leaseMs: 30_000 })).toBeUndefined();
  expect(findOwner(writer, { ...beat, renewedTicksMs: 90_000 }, { place, leaseMs: 30_000 })).toEqual({
    owner: "the other",
    activeAtMs: 990_000,
    freeAtMs: 1_020_000,
  });
});

describe("the heartbeat of a store", () => {
  test("is one file for all open logs, and is removed with the last writer", async () => {
    const store = open();
    const writers = [];
    for (const session of ["a", "b", "c"]) writers.push(await store.openWriter(session, { owner: "me" }));
    expect(readdirSync(join(folder, "writers"))).toHaveLength(1);
    for (const one of writers) if (one.kind === "opened") await one.writer.close();
    expect(readdirSync(folder).sort()).toEqual(["a.sqlite", "b.sqlite", "c.sqlite"]);
  });

  test("is written again after its file was removed; until then the last append counts", async () => {
    const clock = manualStoreClock();
    const store = open({ clock, leaseMs: 3_000 });
    await store.openWriter("s", { owner: "me" });
    rmSync(join(folder, "writers"), { recursive: true });
    expect(await store.writerOf("s")).toMatchObject({ freeAtMs: clock.now() + 3_000 });
    await clock.advance(9_000);
    expect(await store.writerOf("s")).toMatchObject({ freeAtMs: clock.now() + 3_000 });
  });

  test("of a killed process is removed after a day, and other files are kept", async () => {
    const left = join(folder, "writers", "00000000-0000-0000-0000-000000000000");
    mkdirSync(join(folder, "writers"));
    for (const path of [left, join(folder, "writers", "other file")]) {
      writeFileSync(path, "{}");
      utimesSync(path, 1, 1);
    }
    const store = open();
    await store.openWriter("s", { owner: "me" });
    expect(readdirSync(join(folder, "writers"))).toHaveLength(2);
    expect(readdirSync(join(folder, "writers"))).toContain("other file");
  });

  test("is ignored if the log names an invalid file; the last append counts", async () => {
    const clock = manualStoreClock();
    const store = open({ clock, leaseMs: 3_000 });
    const opened = await store.openWriter("s", { owner: "me" });
    const database = new DatabaseSync(join(folder, "s.sqlite"));
    database.exec("UPDATE writer SET beat = '../s.sqlite'");
    database.close();
    expect(await store.writerOf("s")).toMatchObject({ owner: "me" });
    await clock.advance(3_000);
    expect(await store.openWriter("s", { owner: "you" })).toMatchObject({ kind: "opened" });
    expect(opened).toMatchObject({ kind: "opened" });
    await clock.advance(9_000);
    expect(await store.writerOf("s")).toMatchObject({ owner: "you" });
  });
});
