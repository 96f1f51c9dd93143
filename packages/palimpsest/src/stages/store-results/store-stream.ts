import type { ResultFiles } from "../../stores/results.ts";
import { CUT_CHARACTERS, type CutContent, cutContent, type KeptContent } from "./content.ts";
import { collectEnds, MAX_BYTES_PER_CHARACTER } from "./ends.ts";
import { looksLikeJson } from "./json-keys.ts";
import { openSink } from "./sink.ts";
import { type StoringOptions, settingsOf, thresholdOf } from "./storing-options.ts";
import { toBytes } from "./to-bytes.ts";

export interface StoreStreamOptions extends StoringOptions {
  readonly files: ResultFiles;
  readonly session: string;
  /** The tool whose output it is, for its own threshold. */
  readonly tool?: string;
}

export type StreamedContent =
  /** Small enough to be shown as it is; nothing was stored. */
  { readonly kind: "inline"; readonly text: string } | KeptContent | CutContent;

/**
 * Takes an output as it arrives, in constant memory: the beginning is held until it is clear that it is too large, and all
 * of it goes into a file from then on. A string's lone surrogates become U+FFFD, as UTF-8 has none. An output that breaks
 * off throws what it threw, and nothing is stored.
 */
export async function storeStream(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  { files, session, tool, ...options }: StoreStreamOptions,
): Promise<StreamedContent> {
  const settings = settingsOf(options);
  const thresholdCharacters = thresholdOf(tool, settings);
  const maxHeldBytes = MAX_BYTES_PER_CHARACTER * Math.max(thresholdCharacters, CUT_CHARACTERS);
  const ends = collectEnds(settings.previewCharacters);
  const held: Uint8Array[] = [];
  const sink = openSink(() => files.create(session));
  let heldBytes = 0;
  try {
    for await (const bytes of toBytes(chunks)) {
      ends.add(bytes);
      if (heldBytes > maxHeldBytes) {
        await sink.write(bytes);
        continue;
      }
      held.push(bytes.slice());
      heldBytes += bytes.length;
      if (heldBytes > maxHeldBytes) await sink.writeAll(held);
    }
    const all = ends.end();
    const start = decodeAll(held, heldBytes === all.bytes ? "whole" : "cut");
    if (heldBytes <= maxHeldBytes) {
      if (start.length <= thresholdCharacters) return { kind: "inline", text: start };
      await sink.writeAll(held);
    }
    const kept = await sink.keep(looksLikeJson(all) ? "json" : "txt");
    if (kept instanceof Error) return cutContent(start, all, kept);
    const { bytes, lines, head, tail } = all;
    return { kind: "stored", stored: { ...kept, bytes, lines }, head, tail };
  } finally {
    await sink.discard();
  }
}

function decodeAll(parts: readonly Uint8Array[], end: "whole" | "cut"): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = parts.map((part) => decoder.decode(part, { stream: true })).join("");
  return end === "whole" ? text + decoder.decode() : text;
}
