import type { ForkPayload } from "../log/branch-payloads.ts";
import { readPayload } from "../log/draft.ts";
import { forkedReader } from "../state/log.ts";
import type { LogReader, Store } from "../stores/store.ts";

/** The log of one session, opened for reading. A fork's log begins with the entries of its parent. */
export interface InspectedLog {
  /** The id of the session. */
  readonly session: string;
  readonly log: LogReader;
  /** The session whose prompt its requests share: its own id, or that of its parent. */
  readonly root: string;
  /** The newest entry that belongs to the parent; 0 if it is no fork. */
  readonly sharedTo: number;
  readonly fork?: ForkPayload;
  close(): Promise<void>;
}

/** Opens the log of a session for reading, beside any writer; undefined if the store has none, or not that of its parent. */
export async function openInspected(
  store: Pick<Store, "openReader">,
  session: string,
): Promise<InspectedLog | undefined> {
  const own = await store.openReader(session);
  if (own === undefined) return undefined;
  const [first] = await own.read(1, 1);
  const read = first && readPayload(first);
  if (read?.kind !== "fork") return { session, log: own, root: session, sharedTo: 0, close: () => own.close() };
  const fork = read.payload;
  const parent = await store.openReader(fork.session);
  const [parting] = (await parent?.read(fork.sequence, fork.sequence)) ?? [];
  if (parent === undefined || parting?.hash !== fork.hash) {
    await Promise.all([own.close(), parent?.close()]);
    return undefined;
  }
  return {
    session,
    log: forkedReader({ reader: parent, sequence: fork.sequence }, own),
    root: fork.session,
    sharedTo: fork.sequence,
    fork,
    async close() {
      await Promise.all([own.close(), parent.close()]);
    },
  };
}
