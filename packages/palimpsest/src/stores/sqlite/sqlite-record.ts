/** A value of a record in a SQLite file. Logs have no blobs; a blob is read as undefined. */
export type RecordValue = number | string | null | undefined;

/**
 * Reads a variable-length integer (https://sqlite.org/fileformat2.html#varint); undefined if it is cut off or too
 * large.
 */
export function readVarint(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 9; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    value = index === 8 ? value * 256 + byte : value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
    if (byte < 0x80 || index === 8) return { value, next: at + index + 1 };
  }
  return undefined;
}

// A log has at most 10 columns, each with at most 9 bytes in the header. A larger header is text misread as a record.
const MAX_HEADER_BYTES = 100;

/** Reads the number of values and bytes of a record from its beginning; undefined if it is not a record. */
export function readRecordHeader(
  bytes: Uint8Array,
): { types: number[]; headerBytes: number; sizeBytes: number } | undefined {
  const header = readVarint(bytes, 0);
  if (header === undefined || header.value > Math.min(bytes.length, MAX_HEADER_BYTES)) return undefined;
  const types: number[] = [];
  let sizeBytes = header.value;
  let at = header.next;
  while (at < header.value) {
    const type = readVarint(bytes, at);
    if (type === undefined || type.value === 10 || type.value === 11) return undefined;
    types.push(type.value);
    sizeBytes += sizeOf(type.value);
    at = type.next;
  }
  return at === header.value ? { types, headerBytes: header.value, sizeBytes } : undefined;
}

/** Reads the values of a record; undefined unless its length matches its header. */
export function readRecord(bytes: Uint8Array): RecordValue[] | undefined {
  const header = readRecordHeader(bytes);
  if (header === undefined || header.sizeBytes !== bytes.length) return undefined;
  let at = header.headerBytes;
  return header.types.map((type) => {
    const value = bytes.subarray(at, at + sizeOf(type));
    at += sizeOf(type);
    return readValue(type, value);
  });
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function sizeOf(type: number): number {
  return type < 12 ? (INTEGER_BYTES[type] ?? 0) : (type - (type % 2 === 0 ? 12 : 13)) / 2;
}

function readValue(type: number, bytes: Uint8Array): RecordValue {
  if (type === 0) return null;
  if (type === 7) return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0);
  if (type === 8 || type === 9) return type - 8;
  if (type < 7) {
    const bits = bytes.length * 8;
    const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return Number(BigInt.asIntN(bits, value));
  }
  return type % 2 === 0 ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
