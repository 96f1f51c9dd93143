import { stat } from "node:fs/promises";
import { join } from "node:path";
import { eachSession, openInspected } from "palimpsest/inspect";
import { sqliteStore } from "palimpsest/sqlite";
import { importSession } from "../../transcripts/import/import-session.ts";
import { describeTranscript, type TranscriptDescription } from "../../transcripts/readers/describe-transcript.ts";
import { readTranscript, type TranscriptReference } from "../../transcripts/readers/read-transcript.ts";
import { sessionKey } from "./session-key.ts";
import type { FoundSession, OpenedSession, SessionSource } from "./session-source.ts";

/** The transcripts that are shown, and the folder for imported logs. */
export interface TranscriptSourceOptions {
  /** The transcripts, found anew for each list. */
  readonly find: () => AsyncIterable<TranscriptReference>;
  /** Where logs are kept that were made from transcripts: a folder of the user's cache. */
  readonly folder: string;
}

export interface TranscriptSource extends SessionSource {
  /** The key of a transcript, whether or not it is found. */
  keyOf(reference: TranscriptReference): string;
}

/** Sessions that other programs recorded: transcripts of agents, and logs of the proxy. Each is imported when it is opened. */
export function transcriptSource({ find, folder }: TranscriptSourceOptions): TranscriptSource {
  const known = new Map<string, TranscriptReference>();
  const keyOf = ({ path, session = "" }: TranscriptReference): string => sessionKey("transcript", path, session);

  async function findKey(key: string): Promise<TranscriptReference | undefined> {
    if (known.has(key)) return known.get(key);
    for await (const reference of find()) known.set(keyOf(reference), reference);
    return known.get(key);
  }

  return {
    keyOf,
    async *list() {
      for await (const reference of find()) {
        known.set(keyOf(reference), reference);
        const { path } = reference;
        const described = await describeTranscript(reference).catch((error: unknown) => String(error));
        if (typeof described === "string") yield { unreadable: path, why: described };
        else if (described !== undefined) yield toFound(keyOf(reference), described);
      }
    },
    async open(key) {
      const reference = await findKey(key);
      return reference && openTranscript(key, reference, folder);
    },
    async close() {},
  };
}

function toFound(key: string, described: TranscriptDescription): FoundSession {
  const { agent, id, title, cwd, startedAtMs, writtenAtMs, bytes } = described;
  const known = { key, id, agent, title, bytes, startedAtMs, usedAtMs: writtenAtMs };
  return cwd === undefined ? known : { ...known, folder: cwd };
}

/**
 * Opens what was made of a transcript. A file is imported once for each state in which somebody looked at it: states are told apart
 * by size and date. What was made of an earlier state is removed.
 */
async function openTranscript(
  key: string,
  reference: TranscriptReference,
  folder: string,
): Promise<OpenedSession | undefined> {
  const { size, mtimeMs } = await stat(reference.path);
  const id = `t-${sessionKey(String(size), String(mtimeMs))}`;
  const place = join(folder, key);
  const store = sqliteStore({ folder: place, leaseMs: 0 });
  // Said when the import was whole: one that was interrupted is made again.
  const isWhole = (await store.readMetadata(id))?.["import"] === "whole";
  if (!isWhole) {
    for await (const { id: before } of eachSession(store)) await store.delete(before);
    const imported = await importSession(readTranscript(reference), { store, id });
    if (imported.kind === "nothing") {
      await store.close();
      return undefined;
    }
    await store.setMetadata(id, { import: "whole" });
  }
  const inspected = await openInspected(store, id);
  if (inspected === undefined) return undefined;
  return { inspected, store, files: store.results, fidelity: "reconstructed", close: () => store.close() };
}
