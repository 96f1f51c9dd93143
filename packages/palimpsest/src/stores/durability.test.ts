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

test("a new log is on the disk under its name: the file and its folder are synced", async () => {
  const path = join(temporaryFolder(), "s.sqlite");
  const synced = await syncedFiles(() => createLogFiles(dirname(path)).create(path));
  expect(synced).toContain(inodeOf(path));
  expect(synced).toContain(inodeOf(dirname(path)));
});

test("a commit is on the disk when it returns: every connection that writes has synchronous=FULL", () => {
  const path = join(temporaryFolder(), "s.sqlite");
  createLogFiles(dirname(path)).create(path);
  const connection = openConnection(path);
  onTestFinished(() => connection.close());
  const FULL = 2;
  expect(connection.database.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: FULL });
});

test("a result that is kept is on the disk under its name", async () => {
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

test("the bytes of a memory are on the disk before it gets its name", async () => {
  const path = join(temporaryFolder(), "topic.md");
  const synced = await syncedFiles(() => writeSynced(path, new TextEncoder().encode("a topic")));
  expect(synced).toContain(inodeOf(path));
});
