import { createHmac, randomBytes } from "node:crypto";
import { sha256 } from "palimpsest/store-parts";
import { type Frames, PLAIN_FRAMES } from "./frames.ts";
import { type KeyRing, NoKeyRingError } from "./key-ring.ts";
import { openBytes, type Place, SEAL_BYTES, sealBytes } from "./seal-bytes.ts";

/** How the texts and contents of one tenant are kept: encrypted, or as they are. A place is where a thing is kept, without the tenant. */
export interface TenantSeals {
  /** The text as it is to be kept: valid JSON, whatever the text is. */
  sealPayload(text: string, place: Place): Promise<string>;
  /** The text as it was; undefined if its key is lost. */
  openPayload(kept: string, place: Place): Promise<string | undefined>;
  /** For a new content that comes in pieces. */
  newFrames(place: Place): Promise<SealedFrames>;
  /** For a content that was kept under a key, or under none; undefined if the key is lost. */
  framesOf(keyId: string | null, place: Place): Promise<Frames | undefined>;
  /** The names under which a thing is kept: first one that says nothing of the content that it follows from, for all that is new. */
  namesOf(name: string, place: Place): Promise<readonly [string, ...string[]]>;
  /** Digests payloads so that nobody can guess them; undefined: by SHA-256. */
  newDigest(): ((payload: string) => string) | undefined;
}

export interface SealedFrames extends Frames {
  readonly keyId: string | null;
}

/** What every sealed text begins with. No payload of a session does. */
const SEALED = '{"sealed":1,"key":"';

const PLAIN_SEALS: TenantSeals = {
  sealPayload: async (text) => text,
  async openPayload(kept, place) {
    if (kept.startsWith(SEALED)) throw new NoKeyRingError(`What is kept at ${JSON.stringify(place)}`);
    return kept;
  },
  newFrames: async () => ({ ...PLAIN_FRAMES, keyId: null }),
  async framesOf(keyId, place) {
    if (keyId !== null) throw new NoKeyRingError(`What is kept at ${JSON.stringify(place)}`);
    return PLAIN_FRAMES;
  },
  namesOf: async (name) => [name],
  newDigest: () => undefined,
};

/** Encrypts with the tenant's keys. What was kept before there were keys is read as it is. */
function tenantSeals(keyRing: KeyRing, tenant: string): TenantSeals {
  const framesWith = (key: Uint8Array, place: Place): Frames => ({
    addedBytes: SEAL_BYTES,
    seal: (frame, number) => sealBytes(frame, key, [tenant, ...place, number]),
    open: (kept, number) => openBytes(kept, key, [tenant, ...place, number]),
  });
  return {
    async sealPayload(text, place) {
      const { id, key } = await keyRing.current(tenant);
      const sealed = sealBytes(Buffer.from(text), key, [tenant, ...place]);
      return `${SEALED}${id}","text":"${sealed.toString("base64")}"}`;
    },
    async openPayload(kept, place) {
      if (!kept.startsWith(SEALED)) return kept;
      const { key: id, text } = JSON.parse(kept) as { key: string; text: string };
      const key = await keyRing.find(tenant, id);
      return key && openBytes(Buffer.from(text, "base64"), key, [tenant, ...place]).toString();
    },
    async newFrames(place) {
      const { id, key } = await keyRing.current(tenant);
      return { ...framesWith(key, place), keyId: id };
    },
    async framesOf(keyId, place) {
      if (keyId === null) return PLAIN_FRAMES;
      const key = await keyRing.find(tenant, keyId);
      return key && framesWith(key, place);
    },
    async namesOf(name, place) {
      const hmac = createHmac("sha256", await keyRing.names(tenant)).update(JSON.stringify([...place, name]));
      return [hmac.digest("hex"), name];
    },
    newDigest() {
      // Known to nobody when the writer is closed: so an erased payload cannot be guessed by whoever has the tenant's key, either.
      // Whether a payload is the one that its digest stands for, its seal says: the digest is part of its place.
      const key = randomBytes(32).toString("hex");
      return (payload) => sha256(key + payload);
    },
  };
}

/** Adds what stays readable without a key beside a sealed text; a text that is not sealed has it already. */
export function withReadable(kept: string, readable: Readonly<Record<string, unknown>>): string {
  return kept.startsWith(SEALED) ? `${kept.slice(0, -1)},${JSON.stringify(readable).slice(1)}` : kept;
}

/** Encrypts if there are keys. */
export function sealsFor(keyRing: KeyRing | undefined, tenant: string): TenantSeals {
  return keyRing === undefined ? PLAIN_SEALS : tenantSeals(keyRing, tenant);
}
