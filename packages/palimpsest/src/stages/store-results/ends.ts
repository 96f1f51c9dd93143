import { headOf, tailOf } from "../../text.ts";

/** The two ends of a content and its size, without the content itself. */
export interface Ends {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
  /** A last line without a line end counts too. */
  readonly lines: number;
}

export interface EndsCollector {
  add(bytes: Uint8Array): void;
  end(): Ends;
}

const LINE_FEED = 10;
/** The maximum UTF-8 bytes per string character: a character of four bytes is two string characters. */
export const MAX_BYTES_PER_CHARACTER = 3;

/**
 * Collects the ends of a content piece by piece; the sizes of the pieces do not matter. Invalid UTF-8 is shown as
 * U+FFFD, and stays unchanged in the file.
 */
export function collectEnds(maxCharacters: number): EndsCollector {
  const keptBytes = maxCharacters * MAX_BYTES_PER_CHARACTER + 4;
  const head = new Uint8Array(keptBytes);
  const tail = createTail(keptBytes);
  let bytes = 0;
  let lineEnds = 0;
  let last: number | undefined;
  return {
    add(added) {
      if (bytes < keptBytes) head.set(added.subarray(0, keptBytes - bytes), bytes);
      tail.add(added);
      bytes += added.length;
      for (let at = added.indexOf(LINE_FEED); at >= 0; at = added.indexOf(LINE_FEED, at + 1)) lineEnds++;
      last = added.at(-1) ?? last;
    },
    end: () => ({
      head: headOf(decode(head.subarray(0, bytes), bytes > keptBytes ? "cut" : "whole"), maxCharacters),
      tail: tailOf(decode(fromCharacter(tail.bytes(), bytes), "whole"), maxCharacters),
      bytes,
      lines: lineEnds + (last === undefined || last === LINE_FEED ? 0 : 1),
    }),
  };
}

export function endsOf(bytes: Uint8Array, maxCharacters: number): Ends {
  const ends = collectEnds(maxCharacters);
  ends.add(bytes);
  return ends.end();
}

/** Keeps the last bytes of everything that was added. */
function createTail(keptBytes: number): { add(added: Uint8Array): void; bytes(): Uint8Array } {
  // Twice the room, so that a small piece does not move all bytes.
  const room = new Uint8Array(2 * keptBytes);
  let used = 0;
  return {
    add(added) {
      const piece = added.length > keptBytes ? added.subarray(-keptBytes) : added;
      if (used + piece.length > room.length) {
        room.copyWithin(0, used - keptBytes, used);
        used = keptBytes;
      }
      room.set(piece, used);
      used += piece.length;
    },
    bytes: () => room.subarray(Math.max(0, used - keptBytes), used),
  };
}

/** Removes the rest of a character that was cut at the front. */
function fromCharacter(tail: Uint8Array, allBytes: number): Uint8Array {
  if (tail.length === allBytes) return tail;
  const start = tail.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start < 0 ? tail.subarray(3) : tail.subarray(start);
}

/** `cut`: an incomplete character at the end is left out. */
function decode(bytes: Uint8Array, end: "whole" | "cut"): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: end === "cut" });
}
