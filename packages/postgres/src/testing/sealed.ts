import { EMPTY_LOG, type Entry, type LogHead, sealEntries, sha256 } from "palimpsest/store-parts";

/** Entries of these kinds, as a session would append them. */
export function sealed(kinds: readonly string[], head: LogHead = EMPTY_LOG): readonly Entry[] {
  const drafts = kinds.map((kind) => ({ kind, version: 1, payload: JSON.stringify({ text: kind }) }));
  return sealEntries(drafts, { head, atMs: 1_700_000_000_000, digest: sha256 });
}
