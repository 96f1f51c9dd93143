import { randomUUID } from "node:crypto";

const DREAM = "dream-";

/** Dreams are stored like sessions but not listed: nobody resumes one, and the next dream does not read them. */
export function newDreamSession(): string {
  return `${DREAM}${randomUUID()}`;
}

export function isDreamSession(id: string): boolean {
  return id.startsWith(DREAM);
}
