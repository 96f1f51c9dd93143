/** A part of a text of JSON, in bytes. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A member of an object. The range is that of its value. */
export interface Member extends Range {
  readonly key: string;
  readonly keyStart: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Where a scan ends that meets something else than JSON. */
const BROKEN = -1;

/**
 * Finds the members of the object that begins at a byte. Values are passed over, not parsed: what is not looked at costs little, and
 * every byte stays where it is. Undefined: there is no whole object.
 */
export function membersOf(bytes: Buffer, start: number): readonly Member[] | undefined {
  const members: Member[] = [];
  const end = walk(bytes, start, [OPEN_OBJECT, CLOSE_OBJECT], (at) => {
    if (bytes[at] !== QUOTE) return BROKEN;
    const keyEnd = skipString(bytes, at);
    if (keyEnd === BROKEN) return BROKEN;
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) return BROKEN;
    const value = skipSpace(bytes, colon + 1);
    const valueEnd = skipValue(bytes, value);
    members.push({ key: bytes.toString("utf8", at + 1, keyEnd - 1), keyStart: at, start: value, end: valueEnd });
    return valueEnd;
  });
  return end === BROKEN ? undefined : members;
}

/** Finds the elements of the list that begins at a byte. Undefined: there is no whole list. */
export function elementsOf(bytes: Buffer, start: number): readonly Range[] | undefined {
  const elements: Range[] = [];
  const end = walk(bytes, start, [OPEN_LIST, CLOSE_LIST], (at) => {
    const valueEnd = skipValue(bytes, at);
    elements.push({ start: at, end: valueEnd });
    return valueEnd;
  });
  return end === BROKEN ? undefined : elements;
}

/** The member of this name. Undefined also if there are two: who reads the text next may take the other one. */
export function memberOf(members: readonly Member[], key: string): Member | undefined {
  const found = members.filter((member) => member.key === key);
  return found.length === 1 ? found[0] : undefined;
}

/** Parses a part of a text. Undefined: it is not JSON. */
export function parseRange(bytes: Buffer, { start, end }: Range): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch {
    return undefined;
  }
}

/** The first byte that is not white space. */
export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** Walks over what stands between two brackets, separated by commas. Returns the byte after the closing one. */
function walk(
  bytes: Buffer,
  start: number,
  [open, close]: readonly [number, number],
  one: (at: number) => number,
): number {
  if (bytes[start] !== open) return BROKEN;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === close) return at + 1;
  for (;;) {
    const end = one(at);
    if (end === BROKEN) return BROKEN;
    at = skipSpace(bytes, end);
    if (bytes[at] === close) return at + 1;
    if (bytes[at] !== COMMA) return BROKEN;
    at = skipSpace(bytes, at + 1);
  }
}

function skipValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      if (at === BROKEN || depth === 0) return at;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth++;
      at++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth--;
      at++;
      if (depth <= 0) return depth === 0 ? at : BROKEN;
    } else if (depth === 0) {
      return skipLiteral(bytes, at);
    } else {
      at++;
    }
  }
  return BROKEN;
}

/** A number, true, false or null. */
function skipLiteral(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && !isSpace(bytes[at]) && ![COMMA, CLOSE_OBJECT, CLOSE_LIST].includes(bytes[at]!)) at++;
  return at === start ? BROKEN : at;
}

/** A quote ends a string unless an odd number of backslashes stands before it. */
function skipString(bytes: Buffer, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) return BROKEN;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
