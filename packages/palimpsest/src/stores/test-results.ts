// The contract of result files, as tests.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { ResultContent, ResultEnding, ResultFiles } from "./store.ts";

/** A place where results are stored. */
export interface ResultsPlace {
  /** Opens result files in this place. A later call may return the same object if a place cannot be opened twice. */
  open(): Promise<ResultFiles>;
  /** Called at the end of a case, whether it passed or not. */
  remove(): Promise<void>;
}

/** The test function, and the result files to test. */
export interface TestResultsOptions {
  /** The test function of your runner: vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** Creates a new, empty place. */
  place(): Promise<ResultsPlace>;
}

/** Tests the contract of result files. Call it once in a test file, with the runner's own `test`. */
export function testResults({ test, place }: TestResultsOptions): void {
  const check = (name: string, run: (files: ResultFiles, place: ResultsPlace) => Promise<void>): void =>
    test(`results: ${name}`, async () => {
      const somewhere = await place();
      try {
        await run(await somewhere.open(), somewhere);
      } finally {
        await somewhere.remove();
      }
    });

  check("keeps content unchanged, under a name that follows from the content", async (files) => {
    const bytes = new Uint8Array(100_000).map((_, index) => (index * 7 + (index >> 8)) % 256);
    for (const content of [bytes, new Uint8Array(), encode("ü😀\u2028\n")]) {
      for (const ending of ["txt", "json"] as const) {
        const kept = await keep(files, content, { ending });
        assert.deepEqual(kept, { file: `${sha256(content)}.${ending}`, digest: sha256(content) });
        const found = await files.find("s", kept.file);
        assert.equal(found?.bytes, content.length);
        assert.deepEqual(await readAll(found), content);
      }
    }
  });

  check("copies written and read bytes, so that callers may reuse buffers", async (files) => {
    const draft = await files.create("s");
    const buffer = encode("first ");
    await draft.write(buffer);
    buffer.set(encode("second"));
    await draft.write(buffer);
    buffer.fill(0);
    const { file } = await draft.keep("txt");
    for await (const chunk of (await find(files, file)).chunks()) chunk.fill(0);
    assert.equal(decode(await readAll(await files.find("s", file))), "first second");
  });

  check("keeps equal content once, also if it is written concurrently", async (files) => {
    const content = encode("the same\n".repeat(20_000));
    const names = await Promise.all(Array.from({ length: 8 }, () => keep(files, content)));
    assert.equal(new Set(names.map(({ file }) => file)).size, 1);
    assert.deepEqual(await readAll(await files.find("s", names[0]!.file)), content);
    assert.equal((await files.measure("s"))?.bytes, content.length);
  });

  check("separates concurrent drafts", async (files) => {
    const drafts = await Promise.all(Array.from({ length: 5 }, () => files.create("s")));
    for (const part of ["a", "b", "c"])
      await Promise.all(drafts.map((draft, index) => draft.write(encode(`${part}${index}\n`))));
    const kept = await Promise.all(drafts.map((draft) => draft.keep("txt")));
    for (const [index, { file }] of kept.entries())
      assert.equal(decode(await readAll(await files.find("s", file))), `a${index}\nb${index}\nc${index}\n`);
  });

  check("finds no draft that was not kept, or was discarded", async (files) => {
    const [left, discarded] = [await files.create("s"), await files.create("s")];
    for (const draft of [left, discarded]) await draft.write(encode("half"));
    assert.equal(await files.find("s", `${sha256(encode("half"))}.txt`), undefined);
    await discarded.discard();
    assert.equal(await files.find("s", `${sha256(encode("half"))}.txt`), undefined);
    const { file } = await keep(files, encode("whole"));
    assert.equal(decode(await readAll(await files.find("s", file))), "whole");
    await left.discard();
  });

  check("writes and reads large content in chunks", async (files) => {
    const draft = await files.create("s");
    const expected = createHash("sha256");
    const pieces = 400;
    for (let index = 0; index < pieces; index++) {
      const piece = new Uint8Array(65_536).fill(index % 251);
      expected.update(piece);
      await draft.write(piece);
    }
    const { file, digest } = await draft.keep("txt");
    assert.equal(digest, expected.digest("hex"));
    const found = createHash("sha256");
    let bytes = 0;
    for await (const chunk of (await find(files, file)).chunks()) {
      found.update(chunk);
      bytes += chunk.length;
    }
    assert.equal(bytes, pieces * 65_536);
    assert.equal(found.digest("hex"), digest);
  });

  check("stops reading at any point, and reads again from the beginning", async (files) => {
    const content = encode("x".repeat(1_000_000));
    const found = await find(files, (await keep(files, content)).file);
    for (let times = 0; times < 30; times++) for await (const _ of found.chunks()) break;
    assert.deepEqual(await readAll(found), content);
    assert.deepEqual(await readAll(found), content);
  });

  check("reads the whole content while the same content is kept again", async (files) => {
    const content = encode("y".repeat(1_000_000));
    const { file } = await keep(files, content);
    const parts: Uint8Array[] = [];
    for await (const chunk of (await find(files, file)).chunks()) {
      if (parts.length === 0) await keep(files, content);
      parts.push(chunk);
    }
    assert.equal(sha256(Buffer.concat(parts)), sha256(content));
  });

  check("separates sessions, also if their names differ only in case", async (files) => {
    const sessions = ["session", "Session", "other.session", "other-session"];
    const kept = new Map<string, string>();
    for (const session of sessions) kept.set(session, (await keep(files, encode(`of ${session}`), { session })).file);
    for (const session of sessions) {
      for (const [owner, file] of kept) {
        const found = await files.find(session, file);
        assert.equal(found && decode(await readAll(found)), owner === session ? `of ${session}` : undefined);
      }
    }
    assert.deepEqual((await Array.fromAsync(files.sessions())).sort(), sessions.sort());
  });

  check("finds nothing under unknown or unsafe names", async (files) => {
    const { file } = await keep(files, encode("content"));
    const zeros = "0".repeat(64);
    for (const name of [
      ...["", ".", "..", "../s", `../s/${file}`, `/${file}`, `./${file}`, `${file}/`, "/etc/passwd", "%2e%2e%2fx.txt"],
      ...[`${file}\0`, `${file}\n`, `${zeros}.txt`, `${zeros}.exe`, file.toUpperCase(), "__proto__", "constructor"],
    ]) {
      assert.equal(await files.find("s", name), undefined, JSON.stringify(name));
      assert.ok(name === `${zeros}.txt` || files.locate("s", name) === undefined, JSON.stringify(name));
    }
    assert.equal(decode(await readAll(await files.find("s", file))), "content");
  });

  check("refuses an unusual session name, or keeps its results separate", async (files) => {
    const { file } = await keep(files, encode("mine"));
    for (const session of [
      "",
      ".",
      "..",
      "../s",
      "s/",
      "/s",
      "a\\b",
      "s\0",
      "s\n",
      "C:",
      "__proto__",
      "x".repeat(300),
    ]) {
      let stranger: string | undefined;
      try {
        stranger = (await keep(files, encode(`of ${session}`), { session })).file;
        assert.equal(await files.find(session, file), undefined, JSON.stringify(session));
        assert.equal(decode(await readAll(await files.find(session, stranger))), `of ${session}`);
        await files.remove(session);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        // Refused.
      }
      if (stranger !== undefined) assert.equal(await files.find("s", stranger), undefined, JSON.stringify(session));
    }
    assert.equal(decode(await readAll(await files.find("s", file))), "mine");
  });

  check("measures and removes the results of one session", async (files) => {
    assert.deepEqual(await Array.fromAsync(files.sessions()), []);
    assert.equal(await files.measure("s"), undefined);
    await files.remove("s");
    const { file } = await keep(files, encode("x".repeat(1_000)));
    await keep(files, encode("y".repeat(500)), { ending: "json" });
    const other = await keep(files, encode("z"), { session: "other" });
    const size = await files.measure("s");
    assert.equal(size?.bytes, 1_500);
    assert.ok(Number.isFinite(size?.newestAtMs), `${size?.newestAtMs}`);
    await files.remove("s");
    assert.equal(await files.find("s", file), undefined);
    assert.equal(await files.measure("s"), undefined);
    assert.deepEqual(await Array.fromAsync(files.sessions()), ["other"]);
    assert.equal(decode(await readAll(await files.find("other", other.file))), "z");
    await keep(files, encode("x".repeat(1_000)));
    assert.equal((await find(files, file)).bytes, 1_000);
  });

  check("removes one file of a session", async (files) => {
    const { file } = await keep(files, encode("a secret"));
    const rest = await keep(files, encode("the rest"));
    const other = await keep(files, encode("a secret"), { session: "other" });
    for (const name of ["../other", `../other/${other.file}`, `${"0".repeat(64)}.txt`, ""])
      await files.remove("s", name);
    await files.remove("s", file);
    await files.remove("s", file);
    assert.equal(await files.find("s", file), undefined);
    assert.equal(decode(await readAll(await files.find("s", rest.file))), "the rest");
    assert.equal(decode(await readAll(await files.find("other", other.file))), "a secret");
    assert.equal((await files.measure("s"))?.bytes, 8);
  });

  check("finds results after the place is opened again", async (files, place) => {
    const { file } = await keep(files, encode("for later"));
    const again = await place.open();
    assert.equal(decode(await readAll(await again.find("s", file))), "for later");
    assert.deepEqual(await Array.fromAsync(again.sessions()), ["s"]);
  });
}

interface KeepOptions {
  readonly session?: string;
  readonly ending?: ResultEnding;
}

async function keep(files: ResultFiles, content: Uint8Array, { session = "s", ending = "txt" }: KeepOptions = {}) {
  const draft = await files.create(session);
  for (let at = 0; at < content.length; at += 30_000) await draft.write(content.subarray(at, at + 30_000));
  return draft.keep(ending);
}

async function find(files: ResultFiles, file: string): Promise<ResultContent> {
  const found = await files.find("s", file);
  assert.ok(found !== undefined, `${file} was not found`);
  return found;
}

async function readAll(content: ResultContent | undefined): Promise<Uint8Array> {
  assert.ok(content !== undefined, "the content was not found");
  return new Uint8Array(Buffer.concat(await Array.fromAsync(content.chunks())));
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
