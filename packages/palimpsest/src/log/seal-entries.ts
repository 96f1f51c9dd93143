import type { Digest, Draft, Entry, LogHead } from "./entry.ts";

export interface SealOptions {
  /** The newest entry that the log has now. */
  readonly head: LogHead;
  readonly atMs: number;
  readonly digest: Digest;
  /** Digests payloads, where that is not to be done by `digest`: the log's writer has one of its own. */
  readonly payloadDigest?: Digest | undefined;
}

/** Turns drafts into the entries that follow the head: numbered, dated, chained. */
export function sealEntries(drafts: readonly Draft[], { head, atMs, digest, payloadDigest }: SealOptions): Entry[] {
  const entries: Entry[] = [];
  let before = head;
  for (const { kind, version, payload, parent = before.sequence } of drafts) {
    const sequence = before.sequence + 1;
    if (!(Number.isInteger(parent) && parent >= 0 && parent < sequence)) {
      throw new RangeError(`Entry ${sequence} cannot continue entry ${parent}: its parent must come before it.`);
    }
    const unchained = { sequence, parent, kind, version, atMs, payload, digest: (payloadDigest ?? digest)(payload) };
    const entry = { ...unchained, hash: chainHash(unchained, before.hash, digest) };
    entries.push(entry);
    before = entry;
  }
  return entries;
}

/** The hash of an entry, given that of the one before it. */
export function chainHash(entry: Omit<Entry, "hash">, hashBefore: string, digest: Digest): string {
  const { sequence, parent, kind, version, atMs, digest: payloadDigest } = entry;
  // As JSON, because a kind may be any string: no two different entries can be written as the same text.
  return digest(JSON.stringify([hashBefore, sequence, parent, kind, version, atMs, payloadDigest]));
}

/** The same entry in another chain, in which payloads are digested in another way. Of an erased payload the digest stays what it was. */
export function resealEntry(
  entry: Entry,
  hashBefore: string,
  { digest, payloadDigest = digest }: Pick<SealOptions, "digest" | "payloadDigest">,
): Entry {
  const { payload } = entry;
  const unchained = { ...entry, digest: payload === undefined ? entry.digest : payloadDigest(payload) };
  return { ...unchained, hash: chainHash(unchained, hashBefore, digest) };
}
