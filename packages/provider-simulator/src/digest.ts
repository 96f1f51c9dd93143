import { hash } from "node:crypto";

/** A fingerprint of some text, as two 32-bit lanes: cheap to chain, and 64 bits are ample for equality inside one run. */
export interface Digest {
  readonly high: number;
  readonly low: number;
}

export function digestText(text: string): Digest {
  const bytes = hash("sha1", text, "buffer");
  return { high: bytes.readInt32LE(0), low: bytes.readInt32LE(4) };
}

export function sameDigest(left: Digest, right: Digest): boolean {
  return left.high === right.high && left.low === right.low;
}

export function digestKey(digest: Digest): string {
  return `${(digest.high >>> 0).toString(36)}.${(digest.low >>> 0).toString(36)}`;
}

export const EMPTY_DIGEST: Digest = { high: 0x2545f491, low: 0x4f6cdd1d };

/** The fingerprint of a sequence: depends on every member and on their order. */
export function chainDigest(before: Digest, next: Digest): Digest {
  const high = scramble(Math.imul(before.high, 0x9e3779b1) ^ next.high ^ rotate(before.low, 13));
  const low = scramble(Math.imul(before.low, 0x85ebca6b) ^ next.low ^ rotate(high, 7));
  return { high, low };
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** The finaliser of MurmurHash3: every input bit reaches every output bit. */
function scramble(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
