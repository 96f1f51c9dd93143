import type { Store } from "palimpsest";
import { readEntries } from "palimpsest/inspect";
import { asString } from "palimpsest/schema";
import { type LogHead, type LogWriter, sealEntries, sha256 } from "palimpsest/store-parts";

/** One line of a transcript. What it has beside its type is the SDK's own affair. */
export type TranscriptLine = { type: string; uuid?: string; timestamp?: string } & { [name: string]: unknown };

/** Entries of this kind hold one line each. */
const KIND = "transcript-line";

/** A log that is open for lines to be added. */
export interface HeldLog {
  /** Adds the lines that are not there yet. `lost`: another process has taken the log over, and nothing was written. */
  add(lines: readonly TranscriptLine[], atMs: number): Promise<"added" | "lost">;
  close(): Promise<void>;
}

/** Opens a log for writing. Whoever has the newest lines goes on with it. */
export async function holdLog(store: Store, id: string): Promise<HeldLog> {
  const opened = await store.openWriter(id, { owner: `claude-agent-sdk ${process.pid}`, takeover: "always" });
  if (opened.kind === "busy") throw new Error(`The transcript ${id} is held by ${opened.owner}. Try again.`);
  const { writer } = opened;
  try {
    return await hold(writer);
  } catch (error) {
    // Nobody else knows that it is open.
    await writer.close().catch(() => {});
    throw error;
  }
}

async function hold(writer: LogWriter): Promise<HeldLog> {
  let head: LogHead = await writer.head();
  const known = new Set<string>();
  for await (const { payload } of readEntries(writer, 1, head.sequence)) {
    const uuid = payload === undefined ? undefined : uuidOf(JSON.parse(payload));
    if (uuid !== undefined) known.add(uuid);
  }
  return {
    async add(lines, atMs) {
      // The SDK sends lines again after a failure. Those without an id are no messages, and the last one counts.
      const added = new Set<string>();
      const fresh = lines.filter((line) => {
        const uuid = uuidOf(line);
        const isThere = uuid !== undefined && (known.has(uuid) || added.has(uuid));
        if (uuid !== undefined) added.add(uuid);
        return !isThere;
      });
      if (fresh.length === 0) return "added";
      const drafts = fresh.map((line) => ({ kind: KIND, version: 1, payload: JSON.stringify(line) }));
      const result = await writer.append(
        sealEntries(drafts, { head, atMs, digest: sha256, payloadDigest: writer.digest }),
      );
      if (result.kind !== "appended") return "lost";
      head = result.head;
      for (const uuid of added) known.add(uuid);
      return "added";
    },
    close: () => writer.close(),
  };
}

/** Reads all lines of a log; undefined if there is none. */
export async function readLines(store: Store, id: string): Promise<TranscriptLine[] | undefined> {
  const log = await store.openReader(id);
  if (log === undefined) return undefined;
  try {
    const lines: TranscriptLine[] = [];
    for await (const { kind, payload } of readEntries(log, 1, (await log.head()).sequence)) {
      if (kind === KIND && payload !== undefined) lines.push(JSON.parse(payload));
    }
    return lines;
  } finally {
    await log.close();
  }
}

function uuidOf(line: TranscriptLine): string | undefined {
  return asString(line.uuid);
}
