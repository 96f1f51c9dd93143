import type { Store } from "palimpsest";
import { EMPTY_LOG } from "palimpsest/core";
import { appendKinds } from "./append-kinds.ts";
import { ENTRIES_PER_SESSION, nameOf } from "./fill-sessions.ts";
import { openEnd } from "./open-end.ts";

interface BenchSession {
  readonly tenant: string;
  readonly session: string;
}

const IN_FLIGHT = 16;

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
  const { writer, batch } = await openEnd(store, session, ENTRIES_PER_SESSION);
  let { head } = batch;
  for (const kinds of [["message"], ["request"], ["message", "usage"]]) head = await appendKinds(writer, head, kinds);
  await writer.close();
}

/** Sessions of the same length in another store. */
export async function writeSessions(store: Store, count: number): Promise<readonly BenchSession[]> {
  const sessions = Array.from({ length: count }, (_, number) => ({ tenant: "", session: nameOf(number) }));
  for (const { session } of sessions) {
    const opened = await store.openWriter(session, { owner: "bench" });
    if (opened.kind === "busy") throw new Error("busy");
    await appendKinds(
      opened.writer,
      EMPTY_LOG,
      Array.from({ length: ENTRIES_PER_SESSION }, () => "message"),
    );
    await opened.writer.close();
  }
  return sessions;
}
