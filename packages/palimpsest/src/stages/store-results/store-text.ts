import type { ResultFiles } from "../../stores/results.ts";
import { type CutContent, cutContent, type KeptContent } from "./content.ts";
import { endsOf } from "./ends.ts";
import { looksLikeJson } from "./json-keys.ts";
import { openSink } from "./sink.ts";

export interface StoreTextOptions {
  readonly files: ResultFiles;
  readonly session: string;
  readonly previewCharacters: number;
}

/** Stores a complete text. The same content as a stream gives the same file. */
export async function storeText(
  text: string,
  { files, session, previewCharacters }: StoreTextOptions,
): Promise<KeptContent | CutContent> {
  const content = new TextEncoder().encode(text);
  const ends = endsOf(content, previewCharacters);
  const sink = openSink(() => files.create(session));
  await sink.write(content);
  const kept = await sink.keep(looksLikeJson(ends) ? "json" : "txt");
  await sink.discard();
  if (kept instanceof Error) return cutContent(text, ends, kept);
  const { bytes, lines, head, tail } = ends;
  return { kind: "stored", stored: { ...kept, bytes, lines }, head, tail };
}
