import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeSynced } from "../../../memory/src/folder/files/place-file.ts";
import { resultFiles } from "./result-files.ts";
import { openConnection } from "./sqlite/connections.ts";
import { createLogFiles } from "./sqlite/log-file.ts";
import { syncedFiles } from "./testing/stores.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "durability-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const inodeOf = (path: string): number => statSync(path).ino;

test("syncs the file and the folder of a new log", async () => {
  const path = join(temporaryFolder(), "s.sqlite");
  const synced = await syncedFiles(() => createLogFiles(dirname(path)).create(path));
  expect(synced).toContain(inodeOf(path));
  expect(synced).toContain(inodeOf(dirname(path)));
});

test("opens writable connections with synchronous=FULL", () => {
  const path = join(temporaryFolder(), "s.sqlite");
  createLogFiles(dirname(path)).create(path);
  const connection = openConnection(path);
  onTestFinished(() => connection.close());
  const FULL = 2;
  expect(connection.database.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: FULL });
});

test("syncs the file and the folder of a kept result", async () => {
  const files = resultFiles({ folder: temporaryFolder() });
  let path = "";
  const synced = await syncedFiles(async () => {
    const draft = await files.create("s");
    await draft.write(new TextEncoder().encode("a result"));
    const { file } = await draft.keep("txt");
    path = files.locate("s", file)!;
  });
  expect(synced).toContain(inodeOf(path));
  expect(synced).toContain(inodeOf(dirname(path)));
});

test("syncs the bytes of a memory before naming its file", async () => {
  const path = join(temporaryFolder(), "topic.md");
  const synced = await syncedFiles(() => writeSynced(path, new TextEncoder().encode("a topic")));
  expect(synced).toContain(inodeOf(path));
});
