import type { Store } from "palimpsest";
import { EMPTY_LOG, type LogHead, type LogWriter, sealEntries, sha256 } from "palimpsest/core";
import { ENTRIES_PER_SESSION, nameOf } from "./fill-sessions.ts";

interface BenchSession {
  readonly tenant: string;
  readonly session: string;
}

const IN_FLIGHT = 16;
const TEXT = "x".repeat(400);

/** Does a turn in each session, 16 at a time: opens the log and reads it, appends in three steps, closes it. Milliseconds per turn. */
export async function runTurns(
  sessions: readonly BenchSession[],
  storeOf: (of: { readonly tenant: string }) => Store,
): Promise<number> {
  const left = [...sessions];
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await runTurn(storeOf(next), next.session);
    }),
  );
  return (performance.now() - startMs) / sessions.length;
}

async function runTurn(store: Store, session: string): Promise<void> {
  const read = { ranges: [{ from: 1, to: 1 }], newest: ["boundary"], tail: { since: "boundary", limit: 2_048 } };
  const opened = await store.openWriter(session, { owner: "bench", read });
  if (opened.kind === "busy" || opened.batch === undefined) throw new Error(`${session}: ${opened.kind}`);
  if (opened.batch.entries.length < ENTRIES_PER_SESSION) throw new Error(`${session} is not as it was written`);
  let { head } = opened.batch;
  for (const kinds of [["message"], ["request"], ["message", "usage"]]) head = await append(opened.writer, head, kinds);
  await opened.writer.close();
}

async function append(writer: LogWriter, head: LogHead, kinds: readonly string[]): Promise<LogHead> {
  const drafts = kinds.map((kind) => ({ kind, version: 1, payload: JSON.stringify({ text: TEXT }) }));
  const result = await writer.append(sealEntries(drafts, { head, atMs: Date.now(), digest: sha256 }));
  if (result.kind !== "appended") throw new Error(result.kind);
  return result.head;
}

/** Sessions of the same length in another store. */
export async function writeSessions(store: Store, count: number): Promise<readonly BenchSession[]> {
  const sessions = Array.from({ length: count }, (_, number) => ({ tenant: "", session: nameOf(number) }));
  for (const { session } of sessions) {
    const opened = await store.openWriter(session, { owner: "bench" });
    if (opened.kind === "busy") throw new Error("busy");
    await append(
      opened.writer,
      EMPTY_LOG,
      Array.from({ length: ENTRIES_PER_SESSION }, () => "message"),
    );
    await opened.writer.close();
  }
  return sessions;
}
