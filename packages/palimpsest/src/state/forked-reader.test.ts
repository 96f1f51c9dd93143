import { beforeEach, expect, test } from "vitest";
import { namedKind } from "../log/draft.ts";
import { EMPTY_LOG, sealEntries } from "../log/entry.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { collectBatch } from "../stores/read.ts";
import { sha256 } from "../stores/sha256.ts";
import type { LogReader } from "../stores/store.ts";
import { forkedReader } from "./log.ts";

const SHARED = 3;
let reader: LogReader;

async function logOf(session: string, kinds: readonly string[]): Promise<LogReader> {
  const opened = await memoryStore().openWriter(session, { owner: "test" });
  if (opened.kind !== "opened") throw new Error("busy");
  const drafts = kinds.map((kind, index) => ({
    kind,
    version: 1,
    payload: JSON.stringify({
      role: "user",
      origin: "human",
      blocks: [{ kind: "text", text: `${session} says heron${index + 1}` }],
    }),
  }));
  await opened.writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 0, digest: sha256 }));
  return opened.writer;
}

/** The parent has gone on after the fork: entries 4 and 5 are its own. */
beforeEach(async () => {
  const parent = await logOf("parent", ["message", "usage", "message", "message", "pin"]);
  const own = await logOf("own", ["fork", "message", "usage"]);
  reader = forkedReader({ reader: parent, sequence: SHARED }, own);
});

async function textsOf(from: number, to: number): Promise<unknown[]> {
  return (await reader.read(from, to)).map(({ sequence, payload }) => [sequence, JSON.parse(payload!).blocks[0].text]);
}

test("any range is read as one log: each entry once, by its number", async () => {
  const all = [
    [1, "parent says heron1"],
    [2, "parent says heron2"],
    [3, "parent says heron3"],
    [4, "own says heron1"],
    [5, "own says heron2"],
    [6, "own says heron3"],
  ];
  for (let from = 1; from <= 7; from++) {
    for (let to = from; to <= 8; to++) expect(await textsOf(from, to)).toEqual(all.slice(from - 1, to));
  }
  expect((await reader.head()).sequence).toBe(6);
});

test("the newest of a kind is the fork's own, or the parent's from before it parted", async () => {
  expect((await reader.newest("usage"))?.sequence).toBe(6);
  expect((await reader.newest("usage", 6))?.sequence).toBe(2);
  expect((await reader.newest("message", 5))?.sequence).toBe(3);
  // The parent pinned something after it had parted.
  expect(await reader.newest("pin")).toBeUndefined();
});

test("a batch is what single reads return, and asks each log once at most", async () => {
  const counts = { parent: 0, own: 0 };
  const counted = (log: LogReader, name: keyof typeof counts): LogReader => {
    const count = <Arguments extends unknown[], Result>(read: (...given: Arguments) => Result) => {
      return (...given: Arguments): Result => {
        counts[name]++;
        return read(...given);
      };
    };
    return {
      ...log,
      head: count(log.head),
      read: count(log.read),
      newest: count(log.newest),
      readBatch: count(log.readBatch),
    };
  };
  const parent = await logOf("parent", ["message", "usage", "message", namedKind("erased", 2), "pin"]);
  const own = await logOf("own", ["fork", "message", "usage", namedKind("erased", 3)]);
  const plain = forkedReader({ reader: parent, sequence: SHARED }, own);
  const fork = forkedReader({ reader: counted(parent, "parent"), sequence: SHARED }, counted(own, "own"));
  for (const [ranges, newest] of [
    [[{ from: 2, to: 5 }], []],
    [
      [
        { from: 1, to: 1 },
        { from: 3, to: 3 },
        { from: 6, to: 9 },
      ],
      [namedKind("erased", 2), namedKind("erased", 3)],
    ],
    [[], [namedKind("erased", 3)]],
  ] as const) {
    Object.assign(counts, { parent: 0, own: 0 });
    const batch = await fork.readBatch({ ranges, newest });
    expect([counts.parent, counts.own].every((count) => count <= 1)).toBe(true);
    expect(batch).toEqual(await collectBatch(plain, { ranges, newest }));
  }
  const wanted = { newest: ["usage", "pin"], tail: { since: "usage", limit: 9 } };
  expect(await fork.readBatch(wanted)).toEqual(await collectBatch(plain, wanted));
});

test("words are found on both sides, and not in what the parent said later", async () => {
  const found = async (options: { readonly limit: number; readonly from?: number; readonly to?: number }) =>
    (await reader.search("says", options)).map(({ sequence }) => sequence);
  expect(await found({ limit: 10 })).toEqual([5, 3, 1]);
  expect(await found({ limit: 10, from: 2, to: 5 })).toEqual([5, 3]);
  expect(await found({ limit: 2 })).toEqual([5, 3]);
  expect(await reader.search("parent heron4", { limit: 10 })).toEqual([]);
});

test("an entry above a number is found by the number that it has in the fork; below its first entry only the parent is asked", async () => {
  expect((await reader.newest("usage", 7, 5))?.sequence).toBe(6);
  const parent = await logOf("parent", ["message", "usage", "message"]);
  const own = await logOf("own", ["fork", "message"]);
  const asked: unknown[] = [];
  const newest: LogReader["newest"] = (...given) => {
    asked.push(given);
    return own.newest(...given);
  };
  const fork = forkedReader({ reader: parent, sequence: SHARED }, { ...own, newest });
  expect((await fork.newest("message", SHARED + 1))?.sequence).toBe(3);
  expect(asked).toEqual([]);
  await fork.newest("message", SHARED + 3, SHARED + 1);
  expect(asked).toEqual([["message", 3, 1]]);
});
