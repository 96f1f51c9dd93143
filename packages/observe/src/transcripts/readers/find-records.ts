const [QUOTE, BACKSLASH, COMMA, COLON, NEWLINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x0a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The field of a document whose elements are its records. */
const RECORDS_FIELD = "messages";

/**
 * Finds where the records of a JSON document begin: at the bracket of its list, or of its field `messages`. `none`: the
 * bytes are not such a document, so they may be lines. `unknown`: there are too few bytes to tell.
 */
export function findRecords(head: Uint8Array): number | "none" | "unknown" {
  const start = passOver(head, startsWithMark(head) ? BYTE_ORDER_MARK.length : 0, isSpace);
  if (head[start] === OPEN_LIST) {
    const first = passOver(head, start + 1, isSpace);
    if (first === head.length) return "unknown";
    // Any other list may be a line.
    return head[first] === OPEN_OBJECT ? start : "none";
  }
  if (start < head.length && head[start] !== OPEN_OBJECT) return "none";
  return findField(head, start + 1);
}

/** Walks over the fields of the outermost object. */
function findField(head: Uint8Array, from: number): number | "none" | "unknown" {
  for (let index = from; ; ) {
    const name = passOver(head, index, (byte) => isSpace(byte) || byte === COMMA);
    if (name >= head.length) return "unknown";
    if (head[name] !== QUOTE) return "none";
    const nameEnd = endOfValue(head, name);
    if (typeof nameEnd === "string") return nameEnd;
    const colon = passOver(head, nameEnd, isSpace);
    if (colon < head.length && head[colon] !== COLON) return "none";
    const value = passOver(head, colon + 1, isSpace);
    if (value >= head.length) return "unknown";
    const isRecords = new TextDecoder().decode(head.subarray(name + 1, nameEnd - 1)) === RECORDS_FIELD;
    if (isRecords && head[value] === OPEN_LIST) return value;
    const end = endOfValue(head, value);
    if (typeof end === "string") return end;
    index = end;
  }
}

/** Returns the place after a value. `none`: the value is not complete on its line, so the file consists of lines. */
function endOfValue(head: Uint8Array, from: number): number | "none" | "unknown" {
  let depth = 0;
  let index = from;
  while (index < head.length) {
    const byte = head[index]!;
    if (byte === QUOTE) {
      const end = endOfString(head, index);
      if (typeof end === "string") return end;
      index = end;
      if (depth === 0) return index;
      continue;
    }
    if (depth === 0 && (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST)) return index;
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    index++;
    if (depth === 0 && (byte === CLOSE_LIST || byte === CLOSE_OBJECT)) return index;
  }
  return "unknown";
}

/** JSON has no line end inside a string, so this one ends a truncated line. */
function endOfString(head: Uint8Array, from: number): number | "none" | "unknown" {
  for (let index = from + 1; index < head.length; index++) {
    const byte = head[index];
    if (byte === NEWLINE) return "none";
    if (byte === QUOTE) return index + 1;
    if (byte === BACKSLASH) index++;
  }
  return "unknown";
}

function passOver(head: Uint8Array, from: number, is: (byte: number) => boolean): number {
  let index = from;
  while (index < head.length && is(head[index]!)) index++;
  return index;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === NEWLINE || byte === 0x0d;
}

function startsWithMark(head: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, index) => head[index] === byte);
}
