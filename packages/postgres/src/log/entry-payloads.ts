import type { Entry } from "palimpsest/store-parts";
import type { Place } from "../key-ring/seal-bytes.ts";
import { type TenantSeals, withReadable } from "../key-ring/tenant-seals.ts";

/** The payloads of one session's entries, as they are kept and as they are read. */
export interface EntryPayloads {
  seal(entries: readonly Entry[]): Promise<readonly Entry[]>;
  /** An entry whose key is lost reads as one that was erased. */
  open(entries: readonly Entry[]): Promise<readonly Entry[]>;
}

/** @param session the session's number: what is moved to another session, even to one with the same name, does not open */
export function entryPayloads(seals: TenantSeals, session: string): EntryPayloads {
  // The digest is part of the place, so that a payload is known to be the one that the chain of hashes covers.
  const placeOf = ({ sequence, kind, digest }: Entry): Place => ["entry", session, sequence, kind, digest];
  const sealOne = async (entry: Entry): Promise<Entry> => {
    if (entry.payload === undefined) return entry;
    return { ...entry, payload: withParent(await seals.sealPayload(entry.payload, placeOf(entry)), entry) };
  };
  const openOne = async (entry: Entry): Promise<Entry> =>
    entry.payload === undefined ? entry : { ...entry, payload: await seals.openPayload(entry.payload, placeOf(entry)) };
  return {
    seal: (entries) => Promise.all(entries.map(sealOne)),
    open: (entries) => Promise.all(entries.map(openOne)),
  };
}

/** The name of a fork's parent stays readable beside what is sealed: the database finds the forks of a session by it. */
function withParent(kept: string, { kind, payload = "" }: Entry): string {
  if (kind !== "fork") return kept;
  const { session } = JSON.parse(payload) as { readonly session?: unknown };
  return typeof session === "string" ? withReadable(kept, { session }) : kept;
}
