import { readPayload } from "../log/draft.ts";
import type { Entry } from "../log/entry.ts";
import { entryText } from "../log/entry-text.ts";
import type { ResultFiles } from "../stores/results.ts";

/** The full text of an entry, from the log or from the file it was stored in. */
export interface TextContent {
  readonly kind: "content";
  readonly pieces: AsyncIterable<string> | Iterable<string>;
}

/** Why there is no text. */
export type NoContent =
  | { readonly kind: "erased"; readonly entry: number }
  /** The entry has no readable content: a request, a usage report, an entry of a later release. */
  | { readonly kind: "no-text"; readonly entry: number; readonly entryKind: string }
  /** The file of the entry was collected. */
  | { readonly kind: "expired"; readonly entry: number; readonly file: string; readonly bytes: number }
  /** The file exists, but its content is not what was stored. */
  | {
      readonly kind: "changed";
      readonly entry: number;
      readonly file: string;
      readonly bytes: number;
      readonly nowBytes: number;
    };

export interface ContentSources {
  readonly files?: ResultFiles;
  readonly session: string;
}

export async function contentOf(entry: Entry, { files, session }: ContentSources): Promise<TextContent | NoContent> {
  const { sequence, kind, payload } = entry;
  if (payload === undefined) return { kind: "erased", entry: sequence };
  const read = readPayload(entry);
  const stored = read.kind === "message" ? read.payload.stored : undefined;
  if (stored === undefined) {
    const text = entryText(entry);
    if (text === undefined) return { kind: "no-text", entry: sequence, entryKind: kind };
    return { kind: "content", pieces: [text] };
  }
  const { file, bytes } = stored;
  const found = await files?.find(session, file);
  if (found === undefined) return { kind: "expired", entry: sequence, file, bytes };
  if (found.bytes !== bytes) return { kind: "changed", entry: sequence, file, bytes, nowBytes: found.bytes };
  return { kind: "content", pieces: decode(found.chunks()) };
}

/** Invalid UTF-8 in the file is shown as U+FFFD. */
async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
