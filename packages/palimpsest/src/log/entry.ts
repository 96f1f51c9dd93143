// Entries of a log: their fields, their hash chain, and their form as a line of JSON.

/**
 * One record of a session's log. An entry never changes, but its payload can be erased. The hash chain covers payload digests,
 * so the chain stays valid without the payload.
 */
export interface Entry {
  /** The entry's number: 1, 2, 3, ... without gaps. */
  readonly sequence: number;
  /** The number of the entry that this entry continues; 0 for the first. A rewind continues an earlier entry and starts a branch. */
  readonly parent: number;
  readonly kind: string;
  /** The version of the payload's shape. Each kind has its own versions. */
  readonly version: number;
  readonly atMs: number;
  /** JSON text; undefined after the payload was erased. */
  readonly payload: string | undefined;
  readonly digest: string;
  /** Covers all fields above except the payload, and the hash of the previous entry. */
  readonly hash: string;
}

/** The content of a new entry. */
export interface Draft {
  readonly kind: string;
  readonly version: number;
  /** JSON text. */
  readonly payload: string;
  /** @default the previous entry */
  readonly parent?: number;
}

/** Turns drafts into the entries that follow the head of the log: adds numbers, dates and hashes. */
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

interface SealOptions {
  /** The newest entry that the log has now. */
  readonly head: LogHead;
  readonly atMs: number;
  readonly digest: Digest;
  /** The log writer's own digest function for payloads, if it has one. @default `digest` */
  readonly payloadDigest?: Digest | undefined;
}

/** Computes the hash of an entry from its fields and the hash of the previous entry. */
function chainHash(entry: Omit<Entry, "hash">, hashBefore: string, digest: Digest): string {
  const { sequence, parent, kind, version, atMs, digest: payloadDigest } = entry;
  // A kind may be any string. JSON quotes it, so two different entries never give the same text.
  return digest(JSON.stringify([hashBefore, sequence, parent, kind, version, atMs, payloadDigest]));
}

/** Moves an entry to a chain that digests payloads with another function. The digest of an erased payload is kept. */
export function resealEntry(
  entry: Entry,
  hashBefore: string,
  { digest, payloadDigest = digest }: Pick<SealOptions, "digest" | "payloadDigest">,
): Entry {
  const { payload } = entry;
  const unchained = { ...entry, digest: payload === undefined ? entry.digest : payloadDigest(payload) };
  return { ...unchained, hash: chainHash(unchained, hashBefore, digest) };
}

/** Finds entries that were changed or removed since they were appended after `before`. Pass entries in the order of their numbers. */
export function checkChain(entries: Iterable<Entry>, before: LogHead, digest: Digest): ChainProblem[] {
  const problems: ChainProblem[] = [];
  let { sequence, hash } = before;
  for (const entry of entries) {
    const isNext = entry.sequence === sequence + 1;
    for (let missing = sequence + 1; missing < entry.sequence; missing++)
      problems.push({ sequence: missing, what: "missing" });
    if (entry.payload !== undefined && digest(entry.payload) !== entry.digest) {
      problems.push({ sequence: entry.sequence, what: "payload" });
    }
    // After a gap the previous hash is unknown, so the check continues from the entry after the gap.
    if (entry.sequence <= sequence || (isNext && chainHash(entry, hash, digest) !== entry.hash)) {
      problems.push({ sequence: entry.sequence, what: "chain" });
    }
    ({ sequence, hash } = entry);
  }
  return problems;
}

export interface ChainProblem {
  readonly sequence: number;
  /** `missing`: no entry has this number. `payload`: the payload does not match its digest. `chain`: the hash does not match. */
  readonly what: "missing" | "payload" | "chain";
}

/** The number and the hash of the newest entry of a log. The next entry continues from them. */
export type LogHead = Pick<Entry, "sequence" | "hash">;

/** The head of a log without entries. */
export const EMPTY_LOG: LogHead = { sequence: 0, hash: "" };

/** Computes a cryptographic hash as text. The core contains no hash function, so the caller passes one: SHA-256. */
export type Digest = (text: string) => string;

/** Writes an entry as one line of JSON, with a readable payload, for people and other programs. */
export function toLine({ payload, ...entry }: Entry): string {
  const fields = JSON.stringify(entry);
  return payload === undefined ? fields : `${fields.slice(0, -1)},"payload":${payload}}`;
}

/** Reads an entry from a line; undefined if the line is not an entry. `checkChain` verifies the entry. */
export function fromLine(line: string): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { sequence, parent, kind, version, atMs, digest, hash, payload } = value as Record<string, unknown>;
  if (!isNumber(sequence) || !isNumber(parent) || !isNumber(version) || !isNumber(atMs)) return undefined;
  if (typeof kind !== "string" || typeof digest !== "string" || typeof hash !== "string") return undefined;
  const text = "payload" in value ? JSON.stringify(payload) : undefined;
  return { sequence, parent, kind, version, atMs, payload: text, digest, hash };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
