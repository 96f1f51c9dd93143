import { createLineParts, DEFAULT_READ_LINES, type ReadLinesOptions, type TranscriptLine } from "./read-lines.ts";
import type { RecordedDamage } from "./recorded.ts";

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

export interface ReadElementsOptions extends ReadLinesOptions {
  /** The number of the first element. @default 1 */
  firstNumber?: number;
}

/**
 * Splits the elements of a JSON list into lines, for any chunking of the bytes. The bytes begin after the list's
 * bracket; bytes after its end are not read. Holds one element at a time and parses none: the parser of the lines
 * reports a broken one.
 */
export async function* readElements(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ReadElementsOptions = {},
): AsyncGenerator<TranscriptLine | RecordedDamage> {
  const { maxLineBytes, firstNumber } = { ...DEFAULT_READ_LINES, firstNumber: 1, ...options };
  const element = createLineParts(maxLineBytes, firstNumber);
  let depth = 0;
  let within: "gap" | "value" | "string" | "escape" = "gap";

  for await (const chunk of bytes) {
    let start = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!;
      if (within === "string") {
        if (byte === BACKSLASH) within = "escape";
        else if (byte === QUOTE) within = "value";
        continue;
      }
      if (within === "escape") {
        within = "string";
        continue;
      }
      const isEnd = depth === 0 && (byte === COMMA || byte === CLOSE_LIST);
      if (isEnd && within === "value") {
        element.add(chunk.subarray(start, index));
        yield element.finish();
        within = "gap";
      }
      if (isEnd && byte === CLOSE_LIST) return;
      if (isEnd || (within === "gap" && byte <= SPACE)) continue;
      if (within === "gap") start = index;
      within = byte === QUOTE ? "string" : "value";
      if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
      if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth = Math.max(0, depth - 1);
    }
    if (within !== "gap") element.add(chunk.subarray(start));
  }
  if (element.sizeBytes > 0) yield element.finish();
}
