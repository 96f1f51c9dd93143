import { hash } from "node:crypto";

/** Lower case and few characters: the same file on every system, never a path, and safe in a link. */
const SLUG = /^[a-z0-9_-]{1,64}$/;
/** `memory.md` is the index on file systems that ignore case; the others are devices on Windows, with any extension. */
const RESERVED = /^(?:memory|con|prn|aux|nul|com\d|lpt\d)$/;
const LONGEST = 64;

/** Whether a text is a valid name of a topic's file. */
export function isSlug(text: string): boolean {
  return SLUG.test(text) && !RESERVED.test(text);
}

/**
 * Returns a readable slug of a name, or a digest if the name has no Latin letters or digits. The same name always gives
 * the same slug.
 */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, "");
  if (slug === "" || RESERVED.test(slug)) return `topic-${hash("sha256", name, "hex").slice(0, 8)}`;
  return slug;
}

/** Returns the first free one of `slug`, `slug-2`, `slug-3` and so on. */
export function freeSlug(slug: string, isTaken: (slug: string) => boolean): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? "" : `-${number}`;
    const candidate = slug.slice(0, LONGEST - ending.length) + ending;
    if (!isTaken(candidate)) return candidate;
  }
}
