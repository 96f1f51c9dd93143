import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openOffline } from "../session/testing/open-offline.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openInspected, sessionTree } from "./inspected.ts";

import { openLogIndex } from "./sqlite-index.ts";

async function start(requests: number) {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-index-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = memoryStore({ leaseMs: 0 });
  const session = await openOffline(store, { system: "Be brief.", settings: { compaction: "off" } });
  for (let index = 0; index < requests; index++) {
    await session.append(`Question ${index}`);
    await session.prepare();
  }
  const inspected = (await openInspected(store, "s"))!;
  const open = (file = join(folder, "deep", "s.sqlite")) => {
    const index = openLogIndex(inspected, file);
    onTestFinished(() => index.close());
    return index;
  };
  return { store, session, inspected, open, file: join(folder, "deep", "s.sqlite") };
}

test("continues where the last update stopped, even in another process", async () => {
  const { session, open } = await start(3);
  const first = open();
  expect(await first.update()).toMatchObject({ kind: "extended" });
  await session.append("One more");
  await session.prepare();
  const second = open();
  expect(await second.update()).toMatchObject({ kind: "extended", entries: 2 });
  // The first index notices that another index has written the file.
  expect(await first.update()).toMatchObject({ kind: "current", entries: 0 });
  expect(first.totals()).toMatchObject({ requests: 4, responses: 0, boundaries: 0 });
  expect(first.timeline().map(({ window }) => window[2]! > 0)).toEqual([true, true, true, true]);
  expect(first.events({ kinds: ["said"], limit: 2 })).toMatchObject({
    events: [{ text: "Question 0" }, { text: "Question 1" }],
  });
});

test("groups requests into the allowed number of points, represented by the largest request", async () => {
  const { open } = await start(7);
  const index = open();
  await index.update();
  const all = index.timeline();
  const few = index.timeline({ points: 3 });
  expect(few.map(({ requests }) => requests)).toEqual([3, 2, 2]);
  expect(few.map(({ entry }) => entry)).toEqual([all[2]!.entry, all[4]!.entry, all[6]!.entry]);
  expect(index.timeline({ from: all[3]!.entry, to: all[4]!.entry })).toEqual([all[3], all[4]]);
  expect(index.requestNear(all[3]!.entry + 1)).toBe(all[3]!.entry);
  expect(index.neighbors(all[3]!.entry)).toEqual({ previous: all[2]!.entry, next: all[4]!.entry });
  expect(index.neighbors(all[0]!.entry)).toEqual({ next: all[1]!.entry });
});

test("rebuilds a file that is damaged, has another format or belongs to another log, and reports why", async () => {
  const { open, file } = await start(3);
  const whole = open();
  await whole.update();
  const before = whole.timeline();
  whole.close();

  const bytes = await readFile(file);
  for (const suffix of ["-wal", "-shm"]) await rm(file + suffix, { force: true });
  await writeFile(file, bytes.fill(7, 0, 4_096));
  const damaged = open();
  expect(await damaged.update()).toMatchObject({ kind: "made-anew", why: expect.stringMatching(/database/) });
  expect(damaged.timeline()).toEqual(before);
  damaged.close();

  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version=99");
  database.close();
  const later = open();
  expect(await later.update()).toMatchObject({
    kind: "made-anew",
    why: "it has format 99, but this release writes format 1",
  });
  later.close();

  const other = await start(2);
  const wrong = openLogIndex(other.inspected, file);
  onTestFinished(() => wrong.close());
  expect(await wrong.update()).toMatchObject({ kind: "made-anew", why: expect.stringContaining("is not the one") });
  expect(wrong.totals().requests).toBe(2);
});

test("erases the text of an erased entry", async () => {
  const { session, open } = await start(1);
  const index = open();
  await index.update();
  const [message] = index.events({ kinds: ["said"] }).events;
  await session.erase(message!.entry);
  await index.update();
  expect(index.events({ kinds: ["said"] }).events).toMatchObject([{ entry: message!.entry, text: "" }]);
});

test("sessionTree lists forks under the session that they continue", async () => {
  const { store, session } = await start(1);
  const fork = await session.fork({ source: "side", id: "f" });
  await fork.append("Hello");
  await fork.prepare();
  expect(await sessionTree(store, "s")).toMatchObject({
    kind: "root",
    children: [{ session: "f", kind: "fork", label: "side", children: [] }],
  });
  const index = openLogIndex((await openInspected(store, "f"))!);
  await index.update();
  // The index of a fork leaves out the entries that it shares with its parent.
  expect(index.totals().requests).toBe(1);
});
