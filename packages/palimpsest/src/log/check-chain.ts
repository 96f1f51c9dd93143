import type { Digest, Entry, LogHead } from "./entry.ts";
import { chainHash } from "./seal-entries.ts";

export interface ChainProblem {
  readonly sequence: number;
  /** `missing`: the number is not there. `payload`: it does not match its digest. `chain`: the entry is not the one that was sealed. */
  readonly what: "missing" | "payload" | "chain";
}

/** Finds entries that differ from what was appended after `before`. Entries come in order of their numbers. */
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
    // After a gap the previous hash is unknown, so the chain continues from the entry that is there.
    if (entry.sequence <= sequence || (isNext && chainHash(entry, hash, digest) !== entry.hash)) {
      problems.push({ sequence: entry.sequence, what: "chain" });
    }
    ({ sequence, hash } = entry);
  }
  return problems;
}
