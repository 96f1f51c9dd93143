import { expect, test } from "vitest";
import { type Draft, EMPTY_LOG, sealEntries } from "../log/entry.ts";
import { exportLog, importLog } from "./export-log.ts";
import { memoryStore } from "./memory-store.ts";
import { sha256 } from "./sha256.ts";
import type { LogWriter } from "./store.ts";

async function emptyLog(): Promise<LogWriter> {
  const result = await memoryStore().openWriter("s", { owner: "test" });
  if (result.kind === "busy") throw new Error("a new log is busy");
  return result.writer;
}

async function filledLog(count: number): Promise<LogWriter> {
  const writer = await emptyLog();
  const drafts = Array.from(
    { length: count },
    (_, index): Draft => ({ kind: "message", version: 1, payload: `{"text":"${index}"}` }),
  );
  await writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 }));
  return writer;
}

test("imports an exported log unchanged, over several batches, with erased payloads", async () => {
  const source = await filledLog(600);
  await source.erase(300);
  const lines = await Array.fromAsync(exportLog(source));
  expect(lines).toHaveLength(600);
  const target = await emptyLog();
  expect(await importLog(target, lines)).toEqual({ kind: "imported", entries: 600 });
  expect(await target.read(1, 600)).toEqual(await source.read(1, 600));
  expect(await Array.fromAsync(exportLog(target))).toEqual(lines);
});

test("exports an empty log as no lines, and imports no lines as an empty log", async () => {
  expect(await Array.fromAsync(exportLog(await emptyLog()))).toEqual([]);
  expect(await importLog(await emptyLog(), [])).toEqual({ kind: "imported", entries: 0 });
});

test.each([
  ["an incomplete line", (lines: string[]) => lines.with(400, lines[400]!.slice(0, 40)), "not-an-entry"],
  ["a missing line", (lines: string[]) => lines.toSpliced(400, 1), "missing"],
  ["a repeated line", (lines: string[]) => lines.toSpliced(400, 0, lines[399]!), "chain"],
  [
    "an edited payload",
    (lines: string[]) => lines.with(400, lines[400]!.replace('"400"', '"four hundred"')),
    "payload",
  ],
  ["an edited date", (lines: string[]) => lines.with(400, lines[400]!.replace('"atMs":1', '"atMs":2')), "chain"],
])("%s stops the import; earlier lines are imported", async (_, damage, problem) => {
  const lines = damage(await Array.fromAsync(exportLog(await filledLog(600))));
  const target = await emptyLog();
  expect(await importLog(target, lines)).toEqual({ kind: "damaged", line: 401, problem });
  expect((await target.head()).sequence).toBe(400);
});

test("refuses to import into a log that is not empty", async () => {
  const lines = await Array.fromAsync(exportLog(await filledLog(3)));
  expect(await importLog(await filledLog(2), lines)).toMatchObject({
    kind: "refused",
    because: { kind: "out-of-order" },
  });
});

test("exports a log with keyed digests with a SHA-256 chain", async () => {
  const source = await emptyLog();
  const drafts = ["a", "b", "c"].map((text): Draft => ({ kind: "message", version: 1, payload: `{"text":"${text}"}` }));
  const keyed = { digest: sha256, payloadDigest: (payload: string) => sha256(`a key ${payload}`) };
  await source.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, ...keyed }));
  const target = await emptyLog();
  expect(await importLog(target, exportLog({ ...source, digests: "keyed" }))).toEqual({ kind: "imported", entries: 3 });
  expect((await target.read(1, 3)).map(({ payload }) => payload)).toEqual(drafts.map(({ payload }) => payload));
});
