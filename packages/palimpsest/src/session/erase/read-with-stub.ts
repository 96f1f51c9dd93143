import { type PassedOver, type ReadEntry, readPayload } from "../../log/draft.ts";
import type { Entry } from "../../log/entry.ts";
import { namedKind } from "../../log/to-draft.ts";
import type { LogReader } from "../../stores/store.ts";

/** The payload of an entry as a value; for one that was erased, what is shown in its place. */
export async function readWithStub(log: LogReader, entry: Entry): Promise<ReadEntry | PassedOver> {
  const read = readPayload(entry);
  if (read.kind !== "passed-over" || read.why !== "erased") return read;
  const { sequence } = entry;
  const record = await log.newest(namedKind("erased", sequence));
  const erased = record && readPayload(record);
  if (erased?.kind !== "erased") return read;
  const { was, stub } = erased.payload;
  return was === "message" ? { kind: was, sequence, payload: stub } : { kind: was, sequence, payload: stub };
}
