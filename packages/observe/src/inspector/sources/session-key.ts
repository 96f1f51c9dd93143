import { createHash } from "node:crypto";

const KEY_CHARACTERS = 20;

/** A name for a session that says nothing about where it lies, and can stand in an address. */
export function sessionKey(...place: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, KEY_CHARACTERS);
}
