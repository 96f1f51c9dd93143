import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCoordinationFile } from "./coordination-file.ts";
import { FORMAT_VERSION } from "./coordination-schema.ts";
import { openCoordination } from "./open-coordination.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "home-"));
  path = join(folder, "deep", "home.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (at: string): number => statSync(at).mode & 0o777;

test("makes the file and its folder for this user only, whatever the umask", async () => {
  const before = process.umask(0);
  try {
    const coordination = await openCoordination({ file: path });
    expect(coordination.file).toBe(path);
    expect(["", "-wal", "-shm"].map((suffix) => modeOf(path + suffix))).toEqual([0o600, 0o600, 0o600]);
    expect(modeOf(join(folder, "deep"))).toBe(0o700);
    await coordination.close();
    chmodSync(path, 0o644);
    await (await openCoordination({ file: path })).close();
    expect(modeOf(path)).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

test("eight processes that open it for the first time at once all find it whole", async () => {
  const module = fileURLToPath(new URL("./open-coordination.ts", import.meta.url));
  const script = `const { openCoordination } = await import(${JSON.stringify(module)});
    await (await openCoordination({ file: ${JSON.stringify(path)} })).close();`;
  const children = Array.from({ length: 8 }, () =>
    spawn(
      process.execPath,
      ["--conditions=palimpsest-source", "--no-warnings", "--input-type=module", "--eval", script],
      { stdio: "inherit" },
    ),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0] as number));
  expect(codes).toEqual(Array(8).fill(0));
  const database = new DatabaseSync(path, { readOnly: true });
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: FORMAT_VERSION });
  expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  database.close();
});

test("goes on from a file that a process left empty", async () => {
  mkdirSync(join(folder, "deep"));
  writeFileSync(path, "");
  await (await openCoordination({ file: path })).close();
  expect(statSync(path).size).toBeGreaterThan(0);
});

test("leaves the file of another program, and of a later version, as it is", async () => {
  const file = join(folder, "foreign.sqlite");
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE theirs (id INTEGER)");
  const bytes = readFileSync(file);
  await expect(openCoordination({ file })).rejects.toThrow("belongs to another program");
  expect(readFileSync(file).equals(bytes)).toBe(true);
  database.close();

  await (await openCoordination({ file: path })).close();
  const later = new DatabaseSync(path);
  later.exec(`PRAGMA user_version=${FORMAT_VERSION + 1}`);
  later.close();
  await expect(openCoordination({ file: path })).rejects.toMatchObject({ code: "home-format", formatVersion: 2 });
});

test("says that a file is damaged, and what to do", async () => {
  await (await openCoordination({ file: path })).close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, 100, 4_000);
  writeFileSync(path, bytes);
  await expect(openCoordination({ file: path })).rejects.toMatchObject({ code: "damaged-home", path });
  await expect(openCoordination({ file: path })).rejects.toThrow("move it away");
});

test("waits for a lock without holding up the process, and gives up in numbers", async () => {
  const file = await openCoordinationFile(path, { lockTimeoutMs: 1_000 });
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  await expect(file.write(() => 1)).rejects.toMatchObject({ code: "storage-failed", reason: "locked" });
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(0);
  // Reading goes on beside a writer.
  expect(await file.read(() => "read")).toBe("read");
  const waiting = file.write(() => "written");
  other.exec("ROLLBACK");
  expect(await waiting).toBe("written");
  other.close();
  await file.close();
});

test("what is held keeps writers out until it is over, also where it fails", async () => {
  const file = await openCoordinationFile(path, { lockTimeoutMs: 2_000 });
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holding = file.hold(async () => {
    begun.resolve();
    await held.promise;
    order.push("held");
    throw new Error("on purpose");
  });
  await begun.promise;
  const writing = file.write(() => order.push("written"));
  setTimeout(() => held.resolve(), 30);
  await expect(holding).rejects.toThrow("on purpose");
  await writing;
  expect(order).toEqual(["held", "written"]);
  await file.close();
});

test("a file that was replaced is opened anew, so that all processes use the same one", async () => {
  const file = await openCoordinationFile(path, { lockTimeoutMs: 1_000 });
  const write = (text: string): Promise<unknown> =>
    file.write(({ database }) => database.exec(`CREATE TABLE ${text} (id INTEGER)`));
  await write("first");
  renameSync(path, join(folder, "moved"));
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix);
  await write("second");
  const found = await file.read(({ database }) =>
    database.prepare("SELECT name FROM sqlite_schema WHERE name IN ('first', 'second')").all(),
  );
  expect(found).toEqual([{ name: "second" }]);
  await file.close();
});

test("a home that was closed says so", async () => {
  const file = await openCoordinationFile(path, { lockTimeoutMs: 1_000 });
  await file.close();
  await file.close();
  for (const call of [() => file.read(() => 1), () => file.write(() => 1), () => file.hold(() => 1)])
    await expect(call()).rejects.toMatchObject({ code: "closed-home", path });
});
