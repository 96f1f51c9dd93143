/**
 * Returns the SHA-256 of a text (as UTF-8) or of bytes, as 64 hexadecimal characters. Uses `node:crypto` if available, without an
 * import, so that the engine also loads in browsers and workers. The module is loaded at the first digest, because loading it took a
 * sixth of the engine's import time.
 */
export function sha256(content: string | Uint8Array): string {
  const native = globalThis.process?.getBuiltinModule?.("node:crypto");
  return typeof native?.hash === "function" ? native.hash("sha256", content, "hex") : portableSha256(content);
}

/**
 * Computes SHA-256 (FIPS 180-4) in plain JavaScript, for runtimes without `node:crypto`. Entries are hashed synchronously, and
 * `crypto.subtle` only returns promises. Native hashing is faster; docs/dependencies.md has the ratio.
 */
export function portableSha256(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const state = Int32Array.from(INITIAL_STATE);
  const schedule = new Int32Array(64);
  const whole = bytes.length - (bytes.length % BLOCK_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let offset = 0; offset < whole; offset += BLOCK_BYTES) compress(state, view, { offset, schedule });
  const tail = padded(bytes, whole);
  for (let offset = 0; offset < tail.byteLength; offset += BLOCK_BYTES) compress(state, tail, { offset, schedule });
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

const BLOCK_BYTES = 64;

/** Returns the last blocks: the bytes after the last whole block, the end bit, and the length in bits as the last eight bytes. */
function padded(bytes: Uint8Array, from: number): DataView {
  const rest = bytes.length - from;
  const tail = new Uint8Array(rest + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES);
  tail.set(bytes.subarray(from));
  tail[rest] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(tail.length - 4, (bytes.length * 8) % 2 ** 32);
  return view;
}

interface BlockPlace {
  readonly offset: number;
  /** A buffer that all blocks reuse. */
  readonly schedule: Int32Array;
}

function compress(state: Int32Array, block: DataView, { offset, schedule }: BlockPlace): void {
  for (let index = 0; index < 16; index++) schedule[index] = block.getInt32(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const old = schedule[index - 15]!;
    const recent = schedule[index - 2]!;
    const small0 = rotated(old, 7) ^ rotated(old, 18) ^ (old >>> 3);
    const small1 = rotated(recent, 17) ^ rotated(recent, 19) ^ (recent >>> 10);
    schedule[index] = (schedule[index - 16]! + small0 + schedule[index - 7]! + small1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let index = 0; index < 64; index++) {
    const big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + big1 + choice + ROUND_CONSTANTS[index]! + schedule[index]!) | 0;
    const big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + big0 + majority) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

const PRIMES = firstPrimes(64);
/** The first 32 bits of the fractional parts of the square roots of the first 8 primes, and of the cube roots of the first 64. */
const INITIAL_STATE = PRIMES.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)));
const ROUND_CONSTANTS = Int32Array.from(PRIMES, (prime) => fractionBits(Math.cbrt(prime)));

function fractionBits(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
