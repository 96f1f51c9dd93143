import assert from "node:assert/strict";
import type { LogReader, SearchOptions } from "../store.ts";
import { draft, headOf, openReader, openWriter, type StoreCheck, said, seal, sequences } from "./store-case.ts";

/** Tests that words are found, in the same way in every store. */
export function testSearch(check: StoreCheck): void {
  check("a search finds the entries that say all of its words, the newest first", async ({ store, place }) => {
    const writer = await openWriter(store, "s");
    assert.deepEqual(await writer.search("anything", { limit: 9 }), []);
    await writer.append(
      seal([
        said("The connection timed out."),
        said("max_tokens is 4096"),
        draft("request"),
        said("Café: 日本語のテスト"),
        said("connected, and 4096 bytes sent"),
      ]),
    );
    const find = async (query: string, options: Partial<SearchOptions> = {}, reader: LogReader = writer) =>
      (await reader.search(query, { limit: 9, ...options })).map(({ sequence }) => sequence);
    assert.deepEqual(await find("connect"), [5, 1]);
    assert.deepEqual(await find("CONNECT", { limit: 1 }), [5]);
    assert.deepEqual(await find("connect", { to: 4 }), [1]);
    assert.deepEqual(await find("connect", { from: 2 }), [5]);
    assert.deepEqual(await find("4096 connected"), [5]);
    assert.deepEqual(await find("max_tokens"), [2]);
    assert.deepEqual(await find("tokens_max"), []);
    assert.deepEqual(await find('"timed out"'), [1]);
    assert.deepEqual(await find('"out timed"'), []);
    assert.deepEqual(await find("cafe"), [4]);
    assert.deepEqual(await find("本語"), [4]);
    assert.deepEqual(await find("语本"), []);
    const [hit] = await writer.search("4096 bytes", { limit: 9 });
    assert.ok(hit?.snippet.includes("4096 bytes"), hit?.snippet);
    await writer.close();
    const again = await place.open();
    assert.deepEqual(await find("connect", {}, await openReader(again, "s")), [5, 1]);
    await again.close();
  });

  check("whatever the query says, it is words and nothing else", async ({ store }) => {
    const writer = await openWriter(store, "s");
    await writer.append(seal([said("near or not"), said("words: column")]));
    for (const query of [
      '"',
      "*",
      "NEAR(",
      "a AND",
      "words:x",
      "-near",
      "^near",
      "(",
      "near*",
      "';--",
      "\0",
      "{a b}: c",
      "",
    ]) {
      await writer.search(query, { limit: 9 });
    }
    assert.deepEqual(await sequences(writer, "near or not"), [1]);
    assert.deepEqual(await sequences(writer, "NOT near"), [1]);
    assert.deepEqual(await sequences(writer, "words:column"), [2]);
    assert.deepEqual(await sequences(writer, "near column"), []);
    assert.deepEqual(await sequences(writer, '" ; * "'), []);
  });

  check("a search finds as much in a long log, and what is appended between two searches", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const entries = seal(Array.from({ length: 300 }, (_, index) => said(`number${index + 1} of all`)));
    await writer.append(entries);
    assert.deepEqual(await sequences(writer, "number77"), [77]);
    assert.deepEqual(await sequences(writer, "all"), [300, 299, 298, 297, 296, 295, 294, 293, 292]);
    await writer.append(seal([said("number77 again")], headOf(entries)));
    assert.deepEqual(await sequences(writer, "number77"), [301, 77]);
  });
}
