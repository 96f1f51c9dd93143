import type { Store } from "palimpsest";
import type { LogWriter } from "palimpsest/core";
import type { EntryBatch } from "palimpsest/store-parts";

export interface OpenEnd {
  readonly writer: LogWriter;
  readonly batch: EntryBatch;
}

/** Opens a log as a session does: with its first entry, and with what stands behind its newest boundary. */
export async function openEnd(store: Store, session: string, atLeast: number): Promise<OpenEnd> {
  const read = { ranges: [{ from: 1, to: 1 }], newest: ["boundary"], tail: { since: "boundary", limit: 2_048 } };
  const opened = await store.openWriter(session, { owner: "bench", read });
  if (opened.kind === "busy" || opened.batch === undefined) throw new Error(`${session}: ${opened.kind}`);
  const { writer, batch } = opened;
  if (batch.entries.length < atLeast)
    throw new Error(`${session}: ${batch.entries.length} entries were read, ${atLeast} were written`);
  return { writer, batch };
}
