import { InvalidOptionError } from "palimpsest";
import { openBytes, sealBytes } from "./seal-bytes.ts";

/** Wraps the keys of tenants. It may be far away: AWS KMS (`Encrypt`, `Decrypt` with an encryption context), Vault (`transit`). */
export interface MasterKey {
  wrap(key: Uint8Array, context: KeyContext): Promise<Uint8Array>;
  /** Undefined if the master key is gone for good: everything below it then reads as erased. Throws if it cannot be reached. */
  unwrap(wrapped: Uint8Array, context: KeyContext): Promise<Uint8Array | undefined>;
}

/** Whose key it is. A wrapped key must not open with another context. */
export interface KeyContext {
  readonly tenant: string;
  readonly id: string;
}

/** A master key in this process. Keep it where backups of the database do not go. */
export function localMasterKey(masterKey: Uint8Array): MasterKey {
  if (masterKey.length !== 32)
    throw new InvalidOptionError(
      "masterKey",
      `${masterKey.length} bytes`,
      "32 random bytes: `openssl rand -base64 32`",
    );
  const place = ({ tenant, id }: KeyContext) => [tenant, "key", id];
  return {
    wrap: async (key, context) => sealBytes(key, masterKey, place(context)),
    // A wrong master key is a mistake and no erasure: it throws.
    unwrap: async (wrapped, context) => openBytes(wrapped, masterKey, place(context)),
  };
}
