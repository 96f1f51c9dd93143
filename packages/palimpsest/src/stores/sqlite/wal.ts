import { PAGE_SIZE_BYTES } from "./file-format.ts";

/**
 * Reads a -wal as bytes (https://sqlite.org/fileformat2.html#the_write_ahead_log). SQLite stops at the first frame that is
 * wrong, since each checksum continues that of the frame before. This goes on: the frame before also holds the value to
 * continue from, so that a damaged frame costs itself and at most the next one. What follows the last commit was never
 * promised to anyone and is left out.
 */
export function readWal(wal: Uint8Array): WalContent {
  const view = new DataView(wal.buffer, wal.byteOffset, wal.byteLength);
  const frames: WalFrame[] = [];
  const damaged: WalFrame[] = [];
  if (wal.length < WAL_HEADER_BYTES + FRAME_HEADER_BYTES + PAGE_SIZE_BYTES) return { frames, damaged };
  const { salt, littleEndian } = readHeader(view);
  let pending: WalFrame[] = [];
  let pendingDamaged: WalFrame[] = [];
  let before: Checksum = [view.getUint32(24), view.getUint32(28)];
  const sizeBytes = FRAME_HEADER_BYTES + PAGE_SIZE_BYTES;
  for (let index = 0, at = WAL_HEADER_BYTES; at + sizeBytes <= wal.length; index++, at += sizeBytes) {
    const stored: Checksum = [view.getUint32(at + 16), view.getUint32(at + 20)];
    const isOfThisRun = view.getUint32(at + 8) === salt[0] && view.getUint32(at + 12) === salt[1];
    const counted = checksum(view, {
      from: at + FRAME_HEADER_BYTES,
      to: at + sizeBytes,
      littleEndian,
      before: checksum(view, { from: at, to: at + 8, littleEndian, before }),
    });
    before = stored;
    const frame = { index, page: view.getUint32(at), bytes: wal.subarray(at + FRAME_HEADER_BYTES, at + sizeBytes) };
    if (!isOfThisRun) pendingDamaged.push(frame);
    else if (counted[0] === stored[0] && counted[1] === stored[1]) pending.push(frame);
    else pendingDamaged.push(frame);
    // The size of the database, which only the last frame of a commit has.
    if (!isOfThisRun || view.getUint32(at + 4) === 0) continue;
    frames.push(...pending);
    damaged.push(...pendingDamaged);
    pending = [];
    pendingDamaged = [];
  }
  return { frames, damaged };
}

interface WalContent {
  /** Committed and whole, oldest first. */
  readonly frames: readonly WalFrame[];
  /** Before a commit, but not what was written: a part of what stands there may still be true. */
  readonly damaged: readonly WalFrame[];
}

/** One page as a write-ahead log has it. */
export interface WalFrame {
  /** Its place in the file, from 0. */
  readonly index: number;
  readonly page: number;
  readonly bytes: Uint8Array;
}

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

type Checksum = readonly [number, number];

interface WalHeader {
  readonly salt: Checksum;
  readonly littleEndian: boolean;
}

/** The salts stand in every frame too: those that most frames have are believed when the header's are damaged. */
function readHeader(view: DataView): WalHeader {
  const counts = new Map<string, { count: number; salt: Checksum }>();
  const sizeBytes = FRAME_HEADER_BYTES + PAGE_SIZE_BYTES;
  const header: Checksum = [view.getUint32(16), view.getUint32(20)];
  let isHeaderUsed = false;
  for (let at = WAL_HEADER_BYTES; at + sizeBytes <= view.byteLength; at += sizeBytes) {
    const salt: Checksum = [view.getUint32(at + 8), view.getUint32(at + 12)];
    isHeaderUsed ||= salt[0] === header[0] && salt[1] === header[1];
    const found = counts.get(salt.join());
    if (found === undefined) counts.set(salt.join(), { count: 1, salt });
    else found.count++;
  }
  const [most] = [...counts.values()].sort((one, other) => other.count - one.count);
  // Magic 0x377f0682 or 0x377f0683: the last bit says how the checksums were counted. x86 and ARM write little-endian.
  const littleEndian = view.getUint32(0) !== 0x377f0683;
  return { salt: isHeaderUsed ? header : (most?.salt ?? header), littleEndian };
}

function checksum(
  view: DataView,
  { from, to, littleEndian, before }: { from: number; to: number; littleEndian: boolean; before: Checksum },
): Checksum {
  let [first, second] = before;
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, littleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0;
  }
  return [first, second];
}
