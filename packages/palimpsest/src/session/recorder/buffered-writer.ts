import type { Entry } from "../../log/entry.ts";
import { collectBatch } from "../../stores/collect-batch.ts";
import type { AppendResult, LogWriter } from "../../stores/store.ts";

/** A store syncs every append; so many entries, or characters, at once take about as long as one. */
const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 8_000_000;

export interface BufferedWriter extends LogWriter {
  /** Writes what is held. */
  flush(): Promise<AppendResult>;
}

/** A writer that holds entries back and writes many at once: for what can be done again, should the process die. */
export async function createBufferedWriter(writer: LogWriter): Promise<BufferedWriter> {
  let held: Entry[] = [];
  let characters = 0;
  let head = await writer.head();

  async function flush(): Promise<AppendResult> {
    if (held.length === 0) return { kind: "appended", head };
    const result = await writer.append(held);
    if (result.kind === "appended") {
      held = [];
      characters = 0;
    }
    return result;
  }
  /** The first number that is held. */
  const firstHeld = (): number => head.sequence - held.length + 1;

  const buffered: BufferedWriter = {
    fence: writer.fence,
    ...(writer.digest && { digest: writer.digest }),
    ...(writer.digests && { digests: writer.digests }),
    head: async () => head,
    async read(from, to) {
      const written = from < firstHeld() ? await writer.read(from, Math.min(to, firstHeld() - 1)) : [];
      return [...written, ...held.filter(({ sequence }) => sequence >= from && sequence <= to)];
    },
    async newest(kind, below = Number.POSITIVE_INFINITY) {
      const found = held.findLast((entry) => entry.kind === kind && entry.sequence < below);
      return found ?? writer.newest(kind, below);
    },
    readBatch: (options) => collectBatch(buffered, options),
    async search(query, options) {
      await flush();
      return writer.search(query, options);
    },
    async append(entries) {
      const newest = entries.at(-1);
      if (newest === undefined) return { kind: "appended", head };
      if (entries[0]!.sequence !== head.sequence + 1) return { kind: "out-of-order", head };
      held.push(...entries);
      head = newest;
      for (const { payload = "" } of entries) characters += payload.length;
      return held.length >= MAX_ENTRIES || characters >= MAX_CHARACTERS ? flush() : { kind: "appended", head };
    },
    async erase(sequence) {
      await flush();
      return writer.erase(sequence);
    },
    flush,
    async close() {
      await flush();
      await writer.close();
    },
  };
  return buffered;
}
