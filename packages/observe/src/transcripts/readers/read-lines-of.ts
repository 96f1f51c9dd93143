import { findRecords } from "./find-records.ts";
import { readElements } from "./read-elements.ts";
import { type ReadLinesOptions, readLines, type TranscriptLine } from "./read-lines.ts";
import type { RecordedDamage } from "./recorded.ts";

/** A document has only a few fields before its records: bytes without records up to here are not a document. */
const HEAD_BYTES = 2 ** 20;

/**
 * Returns the records of a transcript as lines: the lines of a file, or the elements of a JSON document, one per line.
 * The fields before a document's records become the first line, an object. Holds one line at a time.
 */
export async function* readLinesOf(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<TranscriptLine | RecordedDamage> {
  const chunks = bytes[Symbol.asyncIterator]();
  try {
    const { head, recordsAt } = await readHead(chunks);
    const rest = { [Symbol.asyncIterator]: () => chunks };
    if (recordsAt === undefined) {
      yield* readLines(joined(head, rest), options);
      return;
    }
    const before = new TextDecoder().decode(head.subarray(0, recordsAt)).trim();
    // A list on its own has nothing before it.
    if (before !== "") yield { kind: "line", number: 1, text: `${before}null}` };
    const firstNumber = before === "" ? 1 : 2;
    yield* readElements(joined(head.subarray(recordsAt + 1), rest), { ...options, firstNumber });
  } finally {
    await chunks.return?.();
  }
}

/** Reads until it is clear whether the bytes are a document. */
async function readHead(
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly recordsAt?: number }> {
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  let lookAtBytes = 1;
  for (;;) {
    const { done, value } = await chunks.next();
    if (!done) {
      parts.push(value);
      sizeBytes += value.length;
      // Checked again only when the size has doubled, so that small chunks cost no more than large ones.
      if (sizeBytes < lookAtBytes) continue;
    }
    const head = Buffer.concat(parts);
    const found = findRecords(head.subarray(0, HEAD_BYTES));
    if (typeof found === "number") return { head, recordsAt: found };
    if (done || found === "none" || sizeBytes >= HEAD_BYTES) return { head };
    parts = [head];
    lookAtBytes = 2 * sizeBytes;
  }
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}
