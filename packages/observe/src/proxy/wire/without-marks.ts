import { membersOf, type Range, skipSpace } from "./scan-json.ts";

const KEY = Buffer.from('"cache_control"');
const [COMMA, COLON] = [0x2c, 0x3a];

/**
 * The pieces of a part of a request that are left without its cache marks, which move with the end of a conversation. Inside a string
 * the name has escaped quotes, so its bytes are found only where it is a token; a key is followed by a colon.
 */
export function withoutMarks(bytes: Buffer, { start, end }: Range): readonly Range[] {
  const pieces: Range[] = [];
  let from = start;
  for (let at = bytes.indexOf(KEY, start); at !== -1 && at < end; at = bytes.indexOf(KEY, at + KEY.length)) {
    const colon = skipSpace(bytes, at + KEY.length);
    if (bytes[colon] !== COLON) continue;
    const valueEnd = endOfMark(bytes, skipSpace(bytes, colon + 1));
    if (valueEnd === undefined) continue;
    const comma = lastByteBefore(bytes, at);
    if (bytes[comma] === COMMA) {
      pieces.push({ start: from, end: comma });
      from = valueEnd;
    } else {
      pieces.push({ start: from, end: at });
      const next = skipSpace(bytes, valueEnd);
      from = bytes[next] === COMMA ? skipSpace(bytes, next + 1) : valueEnd;
    }
  }
  return [...pieces, { start: from, end }];
}

/** A mark is an object, or null. */
function endOfMark(bytes: Buffer, start: number): number | undefined {
  if (bytes.toString("latin1", start, start + 4) === "null") return start + 4;
  const members = membersOf(bytes, start);
  if (members === undefined) return undefined;
  return skipSpace(bytes, members.at(-1)?.end ?? start + 1) + 1;
}

function lastByteBefore(bytes: Buffer, at: number): number {
  let before = at - 1;
  while (before > 0 && [0x20, 0x0a, 0x0d, 0x09].includes(bytes[before]!)) before--;
  return before;
}
