import type { Entry } from "../log/entry.ts";
import { PalimpsestError } from "../log/palimpsest-error.ts";

/** An entry that a store could not give back as it was. Nothing was written. */
export class InvalidEntryError extends PalimpsestError {
  static readonly code = "invalid-entry";
  readonly code: string = InvalidEntryError.code;
  readonly sequence: number;
  readonly field: string;

  constructor(entry: { sequence: number; field: string; reason: string }) {
    super(`Entry ${entry.sequence} was not appended: its ${entry.field} ${entry.reason}.`);
    this.sequence = entry.sequence;
    this.field = entry.field;
  }
}

/** Rejects entries that a database would return changed. */
export function assertStorable(entries: readonly Entry[]): void {
  for (const { sequence, parent, kind, version, atMs, digest, hash, payload = "" } of entries) {
    for (const [field, value] of Object.entries({ sequence, parent, version })) {
      if (!Number.isSafeInteger(value))
        throw new InvalidEntryError({ sequence, field, reason: `is ${value}, no integer` });
    }
    if (!Number.isFinite(atMs)) throw new InvalidEntryError({ sequence, field: "atMs", reason: `is ${atMs}` });
    for (const [field, value] of Object.entries({ kind, digest, hash, payload })) {
      if (!value.isWellFormed()) throw new InvalidEntryError({ sequence, field, reason: "has half a surrogate pair" });
      // Node 22 reads a text of SQLite only up to its first NUL, PostgreSQL has none. JSON text has none: they are escaped there.
      if (value.includes("\0")) throw new InvalidEntryError({ sequence, field, reason: "has a NUL character" });
    }
  }
}
