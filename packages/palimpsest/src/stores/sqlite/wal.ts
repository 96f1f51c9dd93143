import { PAGE_SIZE_BYTES } from "./file-format.ts";

/**
 * Reads the frames of a -wal from its bytes (https://sqlite.org/fileformat2.html#the_write_ahead_log). SQLite stops at the first damaged
 * frame, because each checksum continues the checksum of the previous frame. This function continues with the stored checksum, so a
 * damaged frame costs itself and at most the next frame. Frames after the last commit are left out, because they were never
 * acknowledged.
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
    // Only the last frame of a commit contains the size of the database.
    if (!isOfThisRun || view.getUint32(at + 4) === 0) continue;
    frames.push(...pending);
    damaged.push(...pendingDamaged);
    pending = [];
    pendingDamaged = [];
  }
  return { frames, damaged };
}

interface WalContent {
  /** Committed, intact frames, oldest first. */
  readonly frames: readonly WalFrame[];
  /** Committed but damaged frames. Parts of their pages may still be valid. */
  readonly damaged: readonly WalFrame[];
}

/** One page in a -wal. */
export interface WalFrame {
  /** The index of the frame in the file, from 0. */
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

/** Reads the header. If its salts are damaged, uses the salts of most frames, because every frame repeats them. */
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
  // The last bit of the magic number (0x377f0682 or 0x377f0683) is the byte order of the checksums. x86 and ARM use little-endian.
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
