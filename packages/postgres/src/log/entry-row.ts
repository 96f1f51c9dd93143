import { type Entry, InvalidEntryError, type LogHead } from "palimpsest/store-parts";
import type { Row } from "../database.ts";

/** What is selected of an entry. Digests are kept as bytes, which halves them. */
export const ENTRY_COLUMNS =
  "sequence, parent, kind, version, at_ms, encode(digest, 'hex') AS digest, encode(hash, 'hex') AS hash, payload";

export function toEntry(row: Row): Entry {
  const { sequence, parent, kind, version, at_ms: atMs, digest, hash, payload } = row as Record<string, never>;
  return {
    sequence: Number(sequence),
    parent: Number(parent),
    kind: String(kind),
    version: Number(version),
    atMs: Number(atMs),
    payload: payload ?? undefined,
    digest: String(digest),
    hash: String(hash),
  };
}

/** The values of an entry, in the order of the parameters of `append_one`. */
export function valuesOf({ sequence, parent, kind, version, atMs, digest, hash, payload }: Entry): readonly unknown[] {
  const bytes = (field: string, hex: string): Buffer => {
    if (!/^([0-9a-f]{2})*$/.test(hex)) throw new InvalidEntryError({ sequence, field, reason: "is not hexadecimal" });
    return Buffer.from(hex, "hex");
  };
  return [sequence, parent, kind, version, atMs, bytes("digest", digest), bytes("hash", hash), payload ?? null];
}

export function toHead(row: Row | undefined): LogHead {
  return { sequence: Number(row?.["head_sequence"] ?? 0), hash: String(row?.["head_hash"] ?? "") };
}

const MAX_SEQUENCE = 2_147_483_647;

/** A number that the column can have: whoever reads to the end says `Infinity`. */
export function toSequence(value: number): number {
  return Math.ceil(Math.min(MAX_SEQUENCE, Math.max(0, value)));
}
