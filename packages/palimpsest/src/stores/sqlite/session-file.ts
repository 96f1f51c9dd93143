import { UnsafeSessionIdError } from "./errors.ts";

const ALLOWED = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
const ALLOWED_TEXT = "1 to 100 of the characters A-Z a-z 0-9 _ . - and no . or - at the beginning";
const SUFFIX = ".sqlite";

/**
 * A session id as a name that is safe in any file system. Capitals are written as `+` and the small letter, because `A`
 * and `a` are the same file on macOS and Windows; no allowed character has a meaning in any path.
 */
export function toSafeName(session: string): string {
  if (!ALLOWED.test(session)) throw new UnsafeSessionIdError(session, ALLOWED_TEXT);
  return session.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
}

/** The name of the file that holds a session. */
export function toFileName(session: string): string {
  return toSafeName(session) + SUFFIX;
}

/** The session that a file holds; undefined for a file that is none of ours. */
export function fromFileName(name: string): string | undefined {
  return name.endsWith(SUFFIX) ? fromSafeName(name.slice(0, -SUFFIX.length)) : undefined;
}

/** The session that is written as this name; undefined for a name that is none of ours. */
export function fromSafeName(name: string): string | undefined {
  const session = name.replace(/\+[a-z]/g, (letter) => letter.charAt(1).toUpperCase());
  return ALLOWED.test(session) && toSafeName(session) === name ? session : undefined;
}
