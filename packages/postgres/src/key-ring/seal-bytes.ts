import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { SealBrokenError } from "./key-ring.ts";

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** By so much a sealed content is longer. */
export const SEAL_BYTES: number = IV_BYTES + TAG_BYTES;

/** Where a content is kept, beginning with the tenant. Whoever moves it to another place cannot open it there. */
export type Place = readonly (string | number)[];

/** Encrypts a content for its place: AES-256-GCM, a random IV in front, the tag behind. */
export function sealBytes(content: Uint8Array, key: Uint8Array, place: Place): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(toBytes(place));
  return Buffer.concat([iv, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

export function openBytes(sealed: Uint8Array, key: Uint8Array, place: Place): Buffer {
  try {
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(toBytes(place))
      .setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, end)), decipher.final()]);
  } catch (cause) {
    throw new SealBrokenError(JSON.stringify(place.slice(1)), cause);
  }
}

/** As JSON, so that no two places are the same bytes. */
function toBytes(place: Place): Buffer {
  return Buffer.from(JSON.stringify(place));
}
