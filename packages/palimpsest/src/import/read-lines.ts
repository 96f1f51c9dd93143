import { createLineParts } from "./line-parts.ts";
import type { RecordedDamage } from "./recorded.ts";

export interface TranscriptLine {
  kind: "line";
  /** Counted from one, blank lines included. */
  number: number;
  text: string;
}

export interface ReadLinesOptions {
  /**
   * A longer line is reported as damage and skipped; memory is bounded by about three times this.
   * @default 64 MiB
   */
  maxLineBytes?: number;
}

// A line holds at most one message, Claude Code's holds a tool result twice (`toolUseResult`), and a request to the
// Messages API may have 32 MB (error 413 beyond). The longest line of 155 recorded sessions has 0.4 MB.
export const DEFAULT_READ_LINES: Required<ReadLinesOptions> = { maxLineBytes: 64 * 1024 * 1024 };

const NEWLINE = 0x0a;

/**
 * Splits bytes into lines of text, however the bytes are cut into chunks. Only `\n` ends a line: U+2028 and a lone `\r` are
 * ordinary characters of JSON strings. A byte order mark, a `\r` before the `\n` and a missing last `\n` are accepted.
 */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<TranscriptLine | RecordedDamage> {
  const { maxLineBytes } = { ...DEFAULT_READ_LINES, ...options };
  const line = createLineParts(maxLineBytes);
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      yield line.finish();
      start = end + 1;
    }
    if (start < chunk.length) line.add(chunk.subarray(start));
  }
  if (line.sizeBytes > 0) yield line.finish();
}
