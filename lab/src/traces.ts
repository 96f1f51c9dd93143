import { globSync } from "node:fs";
import { resolve } from "node:path";
import { type RecordedEntry, readTranscript, UnknownTranscriptError } from "@palimpsest/observe";

export interface RecordedFile {
  /** The folder below the root: whose sessions they are. */
  readonly source: string;
  readonly path: string;
  readonly entries: readonly RecordedEntry[];
}

/** Where recorded sessions are read from: `PALIMPSEST_TRACES`, any folder of transcripts. */
export function tracesFolder(): string {
  return resolve(process.env["PALIMPSEST_TRACES"] ?? "../shared/traces");
}

/** Every n-th transcript below that folder, one at a time. Files of no known format are passed over. */
export async function* readTraces(everyNth: number): AsyncGenerator<RecordedFile> {
  const folder = tracesFolder();
  const names = globSync("**/*.{jsonl,jsonl.zst}", { cwd: folder }).sort();
  for (const name of names.filter((_, index) => index % everyNth === 0)) {
    const path = resolve(folder, name);
    try {
      const entries = await Array.fromAsync(readTranscript(path));
      yield { source: name.split("/")[0]!, path, entries };
    } catch (error) {
      if (!UnknownTranscriptError.isInstance(error)) throw error;
      console.error(`passed over ${name}: ${error.message}`);
    }
  }
}
