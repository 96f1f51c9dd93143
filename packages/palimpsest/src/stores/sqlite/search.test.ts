import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EMPTY_LOG, type Entry, sealEntries, toDraft } from "../../log/entry.ts";
import { memoryStore } from "../memory-store.ts";
import { sha256 } from "../sha256.ts";
import { salvageLog, sqliteStore } from "../sqlite-store.ts";
import type { LogWriter, Store } from "../store.ts";

let folder: string;
let path: string;
let store: Store;
let writer: LogWriter;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "search-log-"));
  path = join(folder, "s.sqlite");
  store = sqliteStore({ folder });
  writer = await openWriter(store);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openWriter(of: Store): Promise<LogWriter> {
  const opened = await of.openWriter("s", { owner: "test", takeover: "always" });
  if (opened.kind === "busy") throw new Error(`busy: ${opened.owner}`);
  return opened.writer;
}

function sayAll(texts: readonly string[]): Entry[] {
  const drafts = texts.map((text) =>
    toDraft("message", { role: "user", origin: "human", blocks: [{ kind: "text", text }] }),
  );
  return sealEntries(drafts, { head: EMPTY_LOG, atMs: 0, digest: sha256 });
}

const numbered = (count: number, about = "about"): string[] =>
  Array.from({ length: count }, (_, index) => `entry${index + 1} ${about}`);
const find = async (query: string, limit = 5): Promise<number[]> =>
  (await writer.search(query, { limit })).map(({ sequence }) => sequence);

/** Opens the file as another program, with all committed entries. */
function inFile<Result>(act: (database: DatabaseSync) => Result): Result {
  const database: DatabaseSync & { enableDefensive?(state: boolean): void } = new DatabaseSync(path);
  // Newer Node versions protect the tables of an index, but a damaged disk does not.
  database.enableDefensive?.(false);
  try {
    return act(database);
  } finally {
    database.close();
  }
}

const indexedThrough = (): unknown =>
  inFile((database) => database.prepare("SELECT through FROM search_state").get()?.["through"]);

describe("the search index of a log", () => {
  test("is not created for a short log or by an append", async () => {
    await writer.append(sayAll(numbered(64)));
    expect(await find("entry7")).toEqual([7]);
    expect(() => indexedThrough()).toThrow(/no such table/);
  });

  test("finds what a scan finds, for any texts and any query", async () => {
    const word = fc.constantFrom(
      "alpha",
      "alps",
      "Beta",
      "bet_a",
      "é",
      "e",
      "語",
      "42",
      "AND",
      '"',
      "*",
      "-",
      "\n",
      "😀",
    );
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 65, maxLength: 70 }),
        fc.array(text, { minLength: 5, maxLength: 5 }),
        async (texts, queries) => {
          const [scanned, indexed] = [
            await openWriter(memoryStore()),
            await openWriter(sqliteStore({ folder: mkdtempSync(join(folder, "any-")) })),
          ];
          const entries = sayAll(texts);
          await scanned.append(entries);
          await indexed.append(entries);
          for (const query of queries) {
            const options = { limit: 9, from: 3, to: 60 };
            expect(await indexed.search(query, options)).toEqual(await scanned.search(query, options));
          }
          await indexed.close();
        },
      ),
      { numRuns: 15 },
    );
  });

  test("allows appends while it is created", async () => {
    const entries = sayAll(numbered(400, "word ".repeat(2_000)));
    await writer.append(entries);
    const search = writer.search("entry9", { limit: 20 });
    const { sequence, hash } = entries.at(-1)!;
    const more = sealEntries([{ kind: "k", version: 1, payload: "1" }], {
      head: { sequence, hash },
      atMs: 0,
      digest: sha256,
    });
    let done: "search" | "append" | undefined;
    const first = (which: "search" | "append") => () => {
      done ??= which;
    };
    await Promise.all([search.then(first("search")), writer.append(more).then(first("append"))]);
    expect(done).toBe("append");
    expect(indexedThrough()).toBeGreaterThanOrEqual(401 - 64);
  });

  test("contains no words of an erased payload", async () => {
    await writer.append(sayAll(numbered(100).with(49, "correct horse battery staple")));
    expect(await find("battery")).toEqual([50]);
    await writer.erase(50);
    for (const name of readdirSync(folder).filter((one) => one !== "writers"))
      expect(readFileSync(join(folder, name), "latin1")).not.toContain("batter");
    expect(await find("battery")).toEqual([]);
    expect(await find("entry49")).toEqual([49]);
  });

  test.each([
    ["of another log", "UPDATE search_state SET hash = 'x'"],
    ["of another version", "UPDATE search_state SET version = 99"],
    ["ahead of the log", "UPDATE search_state SET through = 1000000"],
    ["without its state row", "DELETE FROM search_state"],
    ["without its state table", "DROP TABLE search_state"],
    ["without its words", "DELETE FROM search_data; DELETE FROM search_idx"],
    ["with wrong words", "INSERT INTO search (rowid, words) VALUES (3, 'entry50')"],
  ])("%s is rebuilt", async (_, damage) => {
    await writer.append(sayAll(numbered(100)));
    expect(await find("entry50")).toEqual([50]);
    inFile((database) => database.exec(damage));
    expect(await find("entry50")).toEqual([50]);
    expect(indexedThrough()).toBe(100);
    expect(await find("entry5")).toEqual([59, 58, 57, 56, 55]);
  });

  test("only costs time if it cannot be dropped", async () => {
    await writer.append(sayAll(numbered(100)));
    await find("entry50");
    inFile((database) => database.exec("DELETE FROM search_config; DROP TABLE search_state"));
    await store.close();
    store = sqliteStore({ folder });
    writer = await openWriter(store);
    expect(await find("entry50")).toEqual([50]);
  });

  test("is not mistaken for entries by salvageLog", async () => {
    const entries = sayAll(numbered(300, "some more words to fill the pages of the index"));
    await writer.append(entries.slice(0, 3));
    await writer.append(entries.slice(3));
    await find("entry7");
    await store.close();
    const { entries: saved, missing, problems } = await salvageLog(path, { digest: sha256 });
    expect([saved.length, missing, problems]).toEqual([300, [], []]);
  });

  test("is used by a reader while a writer is open", async () => {
    await writer.append(sayAll(numbered(100)));
    const reader = await store.openReader("s");
    expect(await reader?.search("entry77", { limit: 1 })).toEqual([{ sequence: 77, snippet: "entry77 about" }]);
    expect(await find("entry77")).toEqual([77]);
  });
});
