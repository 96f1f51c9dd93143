import { expect, test } from "vitest";
import { EMPTY_LOG, sealEntries } from "../log/entry.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { collectBatch } from "../stores/read.ts";
import { sha256 } from "../stores/sha256.ts";
import type { BatchOptions, LogReader } from "../stores/store.ts";
import { knownReader, OPENING } from "./log.ts";

const KINDS = "message boundary message restore message boundary usage rewind restore message".split(" ");

async function openLog(length: number): Promise<LogReader> {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind === "busy") throw new Error("busy");
  const drafts = KINDS.slice(0, length).map((kind) => ({ kind, version: 1, payload: "{}" }));
  await opened.writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 }));
  return opened.writer;
}

const ASKED: readonly BatchOptions[] = [
  OPENING,
  { ...OPENING, tail: { since: "boundary", limit: 2 } },
  { ...OPENING, tail: { since: "rewind", limit: 99 } },
  { ranges: [{ from: 2, to: 4 }], newest: ["restore"] },
  { ranges: [{ from: 9, to: 10 }], newest: ["message", "fork"] },
  { ...OPENING, upTo: 5 },
  { upTo: 9, ranges: [{ from: 3, to: 99 }], newest: ["boundary", "message"] },
  {},
];

test("a reader with entries at hand answers as the log does, whatever it has", async () => {
  for (let length = 0; length <= KINDS.length; length++) {
    const log = await openLog(length);
    for (const asked of ASKED) {
      const known = knownReader(log, asked, await log.readBatch(asked));
      expect(await known.head()).toEqual(await log.head());
      for (const kind of [...new Set(KINDS), "fork"]) {
        expect(await known.newest(kind)).toEqual(await log.newest(kind));
        for (let below = 0; below <= length + 2; below++)
          expect(await known.newest(kind, below), `${kind} below ${below} of ${length}`).toEqual(
            await log.newest(kind, below),
          );
        for (let above = 0; above <= length; above++) {
          const [found, newest] = [await known.newest(kind, length, above), await log.newest(kind, length)];
          if (newest !== undefined && newest.sequence > above) expect(found).toEqual(newest);
          else expect(found?.sequence ?? 0).toBeLessThanOrEqual(above);
        }
      }
      for (let from = 0; from <= length + 1; from++)
        for (let to = from - 1; to <= length + 1; to++)
          expect(await known.read(from, to)).toEqual(await log.read(from, to));
      for (const wanted of ASKED) expect(await known.readBatch(wanted)).toEqual(await collectBatch(log, wanted));
    }
  }
});

test("what is at hand is not read again", async () => {
  const log = await openLog(KINDS.length);
  const batch = await log.readBatch(OPENING);
  const refused = async (): Promise<never> => Promise.reject(new Error("asked the log"));
  const silent: LogReader = { ...log, read: refused, newest: refused, head: refused, readBatch: refused };
  const known = knownReader(silent, OPENING, batch);
  expect((await known.read(1, 1)).length).toBe(1);
  expect((await known.read(6, 10)).length).toBe(5);
  expect((await known.newest("restore"))?.sequence).toBe(9);
  expect((await known.newest("usage", 8))?.sequence).toBe(7);
  await known.readBatch({ ranges: [{ from: 6, to: 8 }], newest: ["message"] });
  await expect(known.read(2, 2)).rejects.toThrow("asked the log");
  // Entry 4, which nobody asks for who knows a boundary at 6.
  expect(await known.newest("restore", 9, 6)).toBeUndefined();
  await expect(known.newest("restore", 9)).rejects.toThrow("asked the log");
});

test("what is missing of a batch is read at once, up to where the batch ends", async () => {
  const log = await openLog(KINDS.length);
  const asked: BatchOptions[] = [];
  const refused = async (): Promise<never> => Promise.reject(new Error("asked once more"));
  const counted: LogReader = {
    ...log,
    ...{ read: refused, newest: refused },
    readBatch(options) {
      asked.push(options);
      return log.readBatch(options);
    },
  };
  const known = knownReader(counted, {}, await log.readBatch({}));
  const wanted = { upTo: 5, ranges: [{ from: 2, to: 3 }], newest: ["message"] };
  expect(await known.readBatch(wanted)).toEqual(await collectBatch(log, wanted));
  expect(asked).toEqual([wanted]);
});
