import { expect, test } from "vitest";
import { toDraft } from "../log/draft.ts";
import { sealEntries } from "../log/entry.ts";
import type { Payloads } from "../log/payload.ts";
import { EMPTY_CARRIED_STATE } from "../state/carried.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import { searchSession } from "./search.ts";

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

test("what was said comes first, newest first, also behind more summaries of it than are asked for", async () => {
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

test("a search for something that only summaries say is over after some looks", async () => {
  const { log, say, summarize } = await openLog();
  await say("needle");
  for (let count = 0; count < 10; count++) await summarize("needle");
  const hits = (await searchSession("needle", { log, session: "s", maxEntries: 1 })).hits;
  expect(hits.map(({ sequence }) => sequence)).toEqual([11]);
});
