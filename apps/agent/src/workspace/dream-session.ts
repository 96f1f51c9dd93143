import { randomUUID } from "node:crypto";

const DREAM = "dream-";

/** Dreams are kept like other sessions, and are in no list: nobody goes on with one, and the next dream does not go over them. */
export function newDreamSession(): string {
  return `${DREAM}${randomUUID()}`;
}

export function isDreamSession(id: string): boolean {
  return id.startsWith(DREAM);
}
