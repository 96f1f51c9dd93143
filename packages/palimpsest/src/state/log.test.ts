import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { answer, createAnthropic, serve, stallStream } from "@palimpsest/provider-simulator";
import { beforeEach, describe, expect, test } from "vitest";
import { InvalidOptionError, SessionBusyError } from "../errors.ts";
import { EMPTY_LOG, namedKind, sealEntries } from "../log/entry.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { collectBatch } from "../stores/read.ts";
import { sha256 } from "../stores/sha256.ts";
import { sqliteStore } from "../stores/sqlite-store.ts";
import type { BatchOptions, LogReader } from "../stores/store.ts";
import { cachedReader, forkedReader, OPENING, openWriter } from "./log.ts";

describe("openWriter", () => {
  test("names the owner, the start, the end and the remedy for a session in use", async () => {
    const store = memoryStore({ clock: { now: () => 1_800_000_000_000 } });
    await openWriter(store, "trip", { owner: "process 7 on mercury" });
    const error = await openWriter(store, "trip", {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SessionBusyError);
    expect(error).toMatchObject({ owner: "process 7 on mercury", freeAtMs: 1_800_000_030_000 });
    expect((error as Error).message).toBe(
      "Session trip is open in process 7 on mercury, which was active at 2027-01-15 08:00:00 UTC. Close it there, or end that " +
        "process, then try again. If that process has died, the session is free at 2027-01-15 08:00:30 UTC.",
    );
  });

  test("waits for a session in use, and gives up after the given time", async () => {
    const waits: number[] = [];
    const store = memoryStore();
    const { writer: first } = await openWriter(store, "s", {});
    const clock = {
      now: Date.now,
      async wait(ms: number) {
        waits.push(ms);
        if (waits.length === 8) await first.close();
      },
    };
    await expect(openWriter(store, "s", { takeover: { waitMs: 500 }, clock })).rejects.toThrow(SessionBusyError);
    expect(waits).toEqual([200, 200, 100]);
    const { writer: second } = await openWriter(store, "s", { takeover: { waitMs: 60_000 }, clock });
    expect(waits).toHaveLength(8);
    expect(second.fence).toBe(first.fence + 1);
    for (const takeover of [{ waitMs: -1 }, { waitMs: Number.NaN }, {}, "alway"])
      await expect(openWriter(store, "s", { takeover: takeover as never })).rejects.toThrow(InvalidOptionError);
  });

  test("keeps a session busy and complete if its model takes longer than the lease", async () => {
    const folder = mkdtempSync(join(tmpdir(), "open-writer-"));
    const script = () => ({ ...answer("At last."), fault: stallStream(2, 6_000) });
    const server = await serve({ faces: [createAnthropic({ script })] });
    const asker = fileURLToPath(new URL("testing/ask-in-another-process.ts", import.meta.url));
    const leaseMs = 2_500;
    const args = ["--no-warnings", "--conditions=palimpsest-source", asker, folder, server.url, `${leaseMs}`];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    const store = sqliteStore({ folder, leaseMs });
    try {
      const seen: string[] = [];
      let tries = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        seen.push(line);
        if (line === "closed") break;
        if (line !== "open") continue;
        const waiting = openWriter(store, "s", { takeover: { waitMs: 4_500 } });
        await expect(waiting).rejects.toMatchObject({ code: "session-busy", owner: "the asker" });
        tries++;
      }
      expect(tries).toBe(1);
      expect(seen).toEqual(["open", "done", "closed"]);
      const { writer } = await openWriter(store, "s", {});
      const texts = (await writer.read(1, 99)).map(({ payload }) => payload).join();
      expect(texts).toContain("At last.");
    } finally {
      child.kill("SIGKILL");
      await store.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("cachedReader", () => {
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

  test("answers like the log with any cached entries", async () => {
    for (let length = 0; length <= KINDS.length; length++) {
      const log = await openLog(length);
      for (const asked of ASKED) {
        const cached = cachedReader(log, asked, await log.readBatch(asked));
        expect(await cached.head()).toEqual(await log.head());
        for (const kind of [...new Set(KINDS), "fork"]) {
          expect(await cached.newest(kind)).toEqual(await log.newest(kind));
          for (let below = 0; below <= length + 2; below++)
            expect(await cached.newest(kind, below), `${kind} below ${below} of ${length}`).toEqual(
              await log.newest(kind, below),
            );
          for (let above = 0; above <= length; above++) {
            const [found, newest] = [await cached.newest(kind, length, above), await log.newest(kind, length)];
            if (newest !== undefined && newest.sequence > above) expect(found).toEqual(newest);
            else expect(found?.sequence ?? 0).toBeLessThanOrEqual(above);
          }
        }
        for (let from = 0; from <= length + 1; from++)
          for (let to = from - 1; to <= length + 1; to++)
            expect(await cached.read(from, to)).toEqual(await log.read(from, to));
        for (const options of ASKED) expect(await cached.readBatch(options)).toEqual(await collectBatch(log, options));
      }
    }
  });

  test("does not read cached entries again", async () => {
    const log = await openLog(KINDS.length);
    const batch = await log.readBatch(OPENING);
    const refused = async (): Promise<never> => Promise.reject(new Error("asked the log"));
    const silent: LogReader = { ...log, read: refused, newest: refused, head: refused, readBatch: refused };
    const cached = cachedReader(silent, OPENING, batch);
    expect((await cached.read(1, 1)).length).toBe(1);
    expect((await cached.read(6, 10)).length).toBe(5);
    expect((await cached.newest("restore"))?.sequence).toBe(9);
    expect((await cached.newest("usage", 8))?.sequence).toBe(7);
    await cached.readBatch({ ranges: [{ from: 6, to: 8 }], newest: ["message"] });
    await expect(cached.read(2, 2)).rejects.toThrow("asked the log");
    // Entry 4: a reader that knows the boundary at 6 does not need it.
    expect(await cached.newest("restore", 9, 6)).toBeUndefined();
    await expect(cached.newest("restore", 9)).rejects.toThrow("asked the log");
  });

  test("reads the missing entries of a batch at once, up to its end", async () => {
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
    const cached = cachedReader(counted, {}, await log.readBatch({}));
    const options = { upTo: 5, ranges: [{ from: 2, to: 3 }], newest: ["message"] };
    expect(await cached.readBatch(options)).toEqual(await collectBatch(log, options));
    expect(asked).toEqual([options]);
  });
});

describe("forkedReader", () => {
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

  /** The parent continued after the fork: entries 4 and 5 are its own. */
  beforeEach(async () => {
    const parent = await logOf("parent", ["message", "usage", "message", "message", "pin"]);
    const own = await logOf("own", ["fork", "message", "usage"]);
    reader = forkedReader({ reader: parent, sequence: SHARED }, own);
  });

  async function textsOf(from: number, to: number): Promise<unknown[]> {
    return (await reader.read(from, to)).map(({ sequence, payload }) => [
      sequence,
      JSON.parse(payload!).blocks[0].text,
    ]);
  }

  test("reads any range as one log, each entry once, by its number", async () => {
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

  test("finds the newest entry of a kind in the fork, or in the shared part of the parent", async () => {
    expect((await reader.newest("usage"))?.sequence).toBe(6);
    expect((await reader.newest("usage", 6))?.sequence).toBe(2);
    expect((await reader.newest("message", 5))?.sequence).toBe(3);
    // The parent pinned a text after the fork.
    expect(await reader.newest("pin")).toBeUndefined();
  });

  test("returns the same entries in a batch as in single reads, and reads each log at most once", async () => {
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
    const options = { newest: ["usage", "pin"], tail: { since: "usage", limit: 9 } };
    expect(await fork.readBatch(options)).toEqual(await collectBatch(plain, options));
  });

  test("finds words in both logs, but not in later entries of the parent", async () => {
    const found = async (options: { readonly limit: number; readonly from?: number; readonly to?: number }) =>
      (await reader.search("says", options)).map(({ sequence }) => sequence);
    expect(await found({ limit: 10 })).toEqual([5, 3, 1]);
    expect(await found({ limit: 10, from: 2, to: 5 })).toEqual([5, 3]);
    expect(await found({ limit: 2 })).toEqual([5, 3]);
    expect(await reader.search("parent heron4", { limit: 10 })).toEqual([]);
  });

  test("finds an entry above a number by its number in the fork, and reads only the parent below the fork's first entry", async () => {
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
});
