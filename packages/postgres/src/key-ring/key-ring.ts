import { PalimpsestError } from "palimpsest";

/** The keys of tenants: AES-256, 32 bytes each. `localKeyRing` and `envelopeKeyRing` are ones. */
export interface KeyRing {
  /** The key for what is written now. The first call for a tenant makes it. */
  current(tenant: string): Promise<TenantKey>;
  /** A key by its id. Undefined if it is lost or forgotten: everything that it encrypted reads as erased. Throws if it cannot be reached. */
  find(tenant: string, id: string): Promise<Uint8Array | undefined>;
  /** A key that stays the same when keys are rotated: names that must be found again are derived from it. */
  names(tenant: string): Promise<Uint8Array>;
}

/** A key of a tenant. */
export interface TenantKey {
  /** Stands beside everything that the key encrypts. */
  readonly id: string;
  readonly key: Uint8Array;
}

/** Something is encrypted, and this process has no keys. */
export class NoKeyRingError extends PalimpsestError {
  static readonly code = "no-key-ring";
  readonly code: string = NoKeyRingError.code;

  constructor(what: string) {
    super(`${what} is encrypted. Open the database with \`keyRing\` to read it.`);
  }
}

/** What was decrypted is not what was encrypted for this place. */
export class SealBrokenError extends PalimpsestError {
  static readonly code = "seal-broken";
  readonly code: string = SealBrokenError.code;

  constructor(place: string, cause: unknown) {
    super(`What is kept at ${place} was changed, or belongs to another place. Restore it from a backup, or erase it.`, {
      cause,
    });
  }
}
