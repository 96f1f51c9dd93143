import fc from "fast-check";
import { expect, test } from "vitest";
import { sealEntries, toDraft } from "../log/entry.ts";
import type { Payloads } from "../log/payload.ts";
import { EMPTY_CARRIED_STATE } from "../state/carried.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import { searchRange, searchSession } from "./search.ts";

const message = (text: string): Payloads["message"] => ({
  role: "user",
  origin: "human",
  blocks: [{ kind: "text", text }],
});

async function openLog() {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind === "busy") throw new Error("a new log is busy");
  const log = opened.writer;
  const append = async <Kind extends keyof Payloads>(kind: Kind, payload: Payloads[Kind]): Promise<void> => {
    const head = await log.head();
    await log.append(sealEntries([toDraft(kind, payload)], { head, atMs: 0, digest: sha256 }));
  };
  return {
    log,
    say: (text: string) => append("message", message(text)),
    summarize: (text: string) =>
      append("boundary", {
        from: 1,
        to: 1,
        with: [message(text)],
        reason: "test",
        outline: [],
        state: { configuration: 1, calibration: {}, ledger: {}, standing: EMPTY_CARRIED_STATE },
      }),
  };
}

test("searchSession lists messages first, newest first, even after more summaries than the limit", async () => {
  const { log, say, summarize } = await openLog();
  await say("The port is 8080.");
  await say("The port stays 8080.");
  for (let count = 0; count < 7; count++) await summarize(`Summary ${count}: port 8080`);
  const found = async (maxEntries: number) =>
    (await searchSession("port 8080", { log, session: "s", maxEntries })).hits.map(({ sequence }) => sequence);
  expect(await found(3)).toEqual([2, 1, 9]);
  expect(await found(20)).toEqual([2, 1, 9, 8, 7, 6, 5, 4, 3]);
  expect(await found(1)).toEqual([2]);
});

test("searchSession stops after some pages if only summaries match", async () => {
  const { log, say, summarize } = await openLog();
  await say("needle");
  for (let count = 0; count < 10; count++) await summarize("needle");
  const hits = (await searchSession("needle", { log, session: "s", maxEntries: 1 })).hits;
  expect(hits.map(({ sequence }) => sequence)).toEqual([11]);
});

const ALL = { fromLine: 1, maxCharacters: 100_000 };

test("searchRange finds the lines with a text in any case, however they arrive", async () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", "B", "x", " "), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 20 }), async (lines, size) => {
      const text = lines.join("\n");
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      const { found, nextLine } = await searchRange(pieces, { ...ALL, search: "aB" });
      const wanted = lines.flatMap((each, index) => (each.toLowerCase().includes("ab") ? [index + 1] : []));
      expect(found.map((each) => each.line)).toEqual(wanted);
      expect(found.map((each) => each.text)).toEqual(wanted.map((number) => lines[number - 1]));
      expect(nextLine).toBeUndefined();
    }),
  );
});

test("searchRange finds a match at any cut of an endless line, and shows the text around it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 20_000 }), async (at) => {
      const text = `first\n${"-".repeat(at)}needle${"-".repeat(30_000 - at)}`;
      const { found } = await searchRange([text], { ...ALL, search: "Needle" });
      expect(found[0]).toMatchObject({ line: 2, character: at + 1 });
      expect(found[0]!.text).toContain("needle");
      expect(found[0]!.text.length).toBeLessThan(300);
      expect(found.length).toBe(1);
    }),
    { numRuns: 40 },
  );
});

test("searchRange limits the answer, and says where to continue", async () => {
  const text = "a match\n".repeat(1_000);
  const first = await searchRange([text], { search: "match", fromLine: 1, maxCharacters: 70 });
  expect(first.found).toHaveLength(10);
  expect(first.nextLine).toBe(11);
  const second = await searchRange([text], { search: "match", fromLine: 11, maxCharacters: 70 });
  expect(second.found[0]!.line).toBe(11);
});
