import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CoordinationConnection } from "../coordination-connection.ts";
import { type CoordinationFile, openCoordinationFile } from "../coordination-file.ts";
import { readAddress, writeAddress } from "./address-rows.ts";
import { toKey } from "./message.ts";
import { acknowledgeMessage, findSent, insertMessage, readWaiting } from "./message-rows.ts";

const CHARACTER = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .map((code) => String.fromCodePoint(code))
  .filter((character) => character.isWellFormed());

let folder: string;
let file: CoordinationFile;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "message-rows-"));
  file = await openCoordinationFile(join(folder, "home.sqlite"), { lockTimeoutMs: 1_000 });
  const process = { host: "h", pid: 1, renewedAtMs: 0, renewedTicksMs: 0 };
  await file.write((connection) => {
    for (const name of ["one", "two"])
      writeAddress(connection, { team: "t", name, session: `s-${name}`, token: name, process });
  });
});
afterEach(async () => {
  await file.close();
  rmSync(folder, { recursive: true });
});

test("whatever is well-formed comes back as it was", async () => {
  const text = fc.oneof(fc.string({ unit: CHARACTER }), fc.constant("a\0b\ufeff"));
  const drafts = fc.sample(fc.record({ body: text, summary: text.map((each) => each.replaceAll("\0", "")) }), 100);
  const messages = await file.write((connection) => {
    const [sender, receiver] = ["one", "two"].map((name) => readAddress(connection, "t", name)!);
    for (const [index, draft] of drafts.entries())
      insertMessage(connection, {
        sender: sender!,
        receiver: receiver!.number,
        nowMs: 0,
        draft: { id: `m${index}`, to: "two", ...draft },
      });
    return readWaiting(connection, receiver!, 1_000).map(({ message }) => message);
  });
  expect(messages.map(({ body, summary }) => ({ body, summary }))).toEqual(drafts);
});

test("of what was acknowledged the words go at once and the ids later, so that the file does not grow with what was said", async () => {
  const exchange = (connection: CoordinationConnection, from: number, to: number): void => {
    const [sender, receiver] = ["one", "two"].map((name) => readAddress(connection, "t", name)!);
    for (let n = from; n < to; n++) {
      const draft = { id: `m${n}`, to: "two", body: `secret ${n} ${"x".repeat(1_000)}` };
      insertMessage(connection, { sender: sender!, receiver: receiver!.number, draft, nowMs: 0 });
      // The first one is never read.
      if (n > 0) acknowledgeMessage(connection, receiver!.number, toKey("s-one", draft.id));
    }
  };
  const measure = () =>
    file.read(({ database }) => ({
      ...database.prepare("SELECT count(*) AS rows, count(body) AS bodies FROM message").get(),
      ...database.prepare("PRAGMA page_count").get(),
    })) as Promise<{ rows: number; bodies: number; page_count: number }>;

  await file.write((connection) => exchange(connection, 0, 1_500));
  const before = await measure();
  expect(before.bodies).toBe(1);
  expect(before.rows).toBeGreaterThanOrEqual(1_001);
  expect(before.rows).toBeLessThanOrEqual(1_001 + 64);
  await file.write((connection) => exchange(connection, 1_500, 3_000));
  const after = await measure();
  expect(after.rows).toBeLessThanOrEqual(1_001 + 64);
  expect(after.page_count).toBeLessThanOrEqual(before.page_count * 1.1);

  await file.read((connection) => {
    expect(findSent(connection, "s-one", "m2999")).toBeDefined();
    expect(findSent(connection, "s-one", "m2000")).toBeDefined();
    expect(findSent(connection, "s-one", "m500")).toBeUndefined();
    expect(readWaiting(connection, readAddress(connection, "t", "two")!, 9).map(({ message }) => message.id)).toEqual([
      "m0",
    ]);
  });
});

test("mail is read in the order of sending, whatever the senders' clocks say", async () => {
  const bodies = await file.write((connection) => {
    const [sender, receiver] = ["one", "two"].map((name) => readAddress(connection, "t", name)!);
    for (const [index, nowMs] of [5_000, 1_000, 9_000, 0].entries()) {
      const draft = { id: `m${index}`, to: "two", body: `${index}` };
      insertMessage(connection, { sender: sender!, receiver: receiver!.number, draft, nowMs });
    }
    return readWaiting(connection, receiver!, 10).map(({ message }) => message.body);
  });
  expect(bodies).toEqual(["0", "1", "2", "3"]);
});
