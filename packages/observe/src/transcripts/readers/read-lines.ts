import type { RecordedDamage } from "./recorded.ts";

/** One line of a transcript. */
export interface TranscriptLine {
  kind: "line";
  /** Counted from one, blank lines included. */
  number: number;
  text: string;
}

/** The input of the readers: lines, and a report of damage in place of an unreadable line. */
export type TranscriptLines = AsyncIterable<TranscriptLine | RecordedDamage>;

/** How long a line may be. */
export interface ReadLinesOptions {
  /**
   * A longer line is reported as damage and skipped; memory is bounded by about three times this.
   * @default 64 MiB
   */
  maxLineBytes?: number;
}

// A line holds at most one message, Claude Code's holds a tool result twice (`toolUseResult`), and a request to the
// Messages API may have 32 MB (error 413 beyond). The longest line of 155 recorded sessions has 0.4 MB.
/** The limit of a line, if nothing else is set. */
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

/** The parts of a line that have arrived; a line may span several chunks. */
export interface LineParts {
  readonly sizeBytes: number;
  add(part: Uint8Array): void;
  /** Returns the complete line; the next one begins. */
  finish(): TranscriptLine | RecordedDamage;
}

/** Nothing is kept of a line that is too long. */
export function createLineParts(maxLineBytes: number, firstNumber = 1): LineParts {
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  let number = firstNumber;
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    add(part) {
      sizeBytes += part.length;
      if (sizeBytes > maxLineBytes) parts = [];
      else parts.push(part);
    },
    finish() {
      const line: TranscriptLine | RecordedDamage =
        sizeBytes > maxLineBytes
          ? { kind: "damage", line: number, reason: "too-long" }
          : { kind: "line", number, text: decode(parts) };
      parts = [];
      sizeBytes = 0;
      number += 1;
      return line;
    },
  };
}

/** Decodes a line as a whole, so that no character is ever cut; the decoder drops a byte order mark. */
function decode(parts: readonly Uint8Array[]): string {
  const text = new TextDecoder().decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
