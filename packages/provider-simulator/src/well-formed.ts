/**
 * How deep a request may nest. The service's wording for half a surrogate pair is that of the parser behind Python's
 * orjson, which gives up at this depth; that the limit is the same there was not seen. It also keeps every recursive
 * reader of a request, ours included, far from the end of its stack.
 */
export const MAXIMUM_DEPTH = 1_024;

/** Problems that a strict JSON parser finds in a value, although JavaScript's own parser and serializer accept it. */
export interface JsonReading {
  /** Six times this is at least the size of the value as JSON text, in bytes. */
  readonly size: number;
  readonly flaw: "lone-surrogate" | "too-deep" | undefined;
}

/** Reads a JSON value completely, keys included. `depth` is the number of objects and lists around it. */
export function readStrictly(value: unknown, depth = 0): JsonReading {
  const reader = new StrictReader();
  reader.read(value, depth);
  return reader;
}

/** Whether a value could have come out of a strict JSON parser. */
export function isStrictJson(value: unknown): boolean {
  return readStrictly(value).flaw === undefined;
}

/** Reads one value after the other into one reading. */
export class StrictReader implements JsonReading {
  size = 0;
  flaw: JsonReading["flaw"];

  /** Adds an earlier reading. */
  add({ size, flaw }: JsonReading): void {
    this.size += size;
    this.flaw ??= flaw;
  }

  read(value: unknown, depth: number): void {
    if (typeof value === "string") this.#text(value);
    else if (typeof value !== "object" || value === null) {
      // The longest number has 25 characters, and a comma.
      this.size += typeof value === "number" ? 5 : 1;
    } else if (depth >= MAXIMUM_DEPTH) this.flaw ??= "too-deep";
    else this.#members(value, depth + 1);
  }

  #members(value: object, depth: number): void {
    this.size++;
    if (Array.isArray(value)) {
      for (const member of value) this.read(member, depth);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      this.#text(key);
      this.read(member, depth);
    }
  }

  /** JSON writes one unit of text as six bytes at worst, and needs four more around it. */
  #text(text: string): void {
    this.size += text.length + 1;
    if (!text.isWellFormed()) this.flaw ??= "lone-surrogate";
  }
}

/**
 * Finds half of a surrogate pair that a JSON text contains as an escape; the index counts characters from 0.
 * `JSON.stringify` writes such a half as `\udXXX`; JavaScript parses it without complaint, the providers do not.
 */
export function findLoneSurrogate(json: string): { readonly index: number; readonly half: "high" | "low" } | undefined {
  const escapes = /\\(?:u([0-9a-fA-F]{4})|.)/g;
  let high: { index: number; end: number } | undefined;
  for (const match of json.matchAll(escapes)) {
    const unit = match[1] === undefined ? -1 : Number.parseInt(match[1], 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (high !== undefined && !(isLow && high.end === match.index)) return { index: high.index, half: "high" };
    if (high === undefined && isLow) return { index: match.index, half: "low" };
    high = unit >= 0xd800 && unit <= 0xdbff ? { index: match.index, end: match.index + match[0].length } : undefined;
  }
  return high === undefined ? undefined : { index: high.index, half: "high" };
}
