import type { TranscriptLine } from "./read-lines.ts";
import type { RecordedDamage } from "./recorded.ts";

/** What has come of a line, which may lie in several chunks. */
export interface LineParts {
  readonly sizeBytes: number;
  add(part: Uint8Array): void;
  /** The line as a whole; the next one begins. */
  finish(): TranscriptLine | RecordedDamage;
}

/** Of a line that is too long nothing is kept. */
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
