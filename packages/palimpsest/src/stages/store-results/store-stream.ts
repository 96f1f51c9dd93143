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
  /** The tool that wrote the output, for its own threshold. */
  readonly tool?: string;
}

/** A stream that has ended: small enough to stay inline, kept in a file, or cut. */
export type StreamedContent =
  /** Small enough to show completely; nothing was stored. */
  { readonly kind: "inline"; readonly text: string } | KeptContent | CutContent;

/**
 * Stores an output while it arrives, in constant memory: the beginning is kept until the output is too large, and from
 * then on all of it goes into a file. Lone surrogates of a string become U+FFFD, because UTF-8 has none. If the output
 * fails, its error is thrown and nothing is stored.
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
