// Finds the paths that a summary names, and marks those that nobody has seen.

import { lazyPattern } from "../../log/search-text.ts";

/** The mark after a path that is not in the log. The sentence stays, because it may otherwise be true. */
export const UNVERIFIED = " (unverified: not in the log)";

/** Matches possible file paths that do not begin inside a word or a URL. */
const possiblePath = lazyPattern(
  String.raw`(?<![\p{L}\p{N}_@:/\\.~-])(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])?(?:[\p{L}\p{N}_.@+-]+[\\/])*[\p{L}\p{N}_.@+-]*[\p{L}\p{N}_]`,
  "gu",
);
const ROOTED = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])/;
const ENDING = /[^\\/.]\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const PART_OF_PATTERN = /[*{}<>$…]/;

interface NamedPath {
  readonly path: string;
  readonly at: number;
}

/**
 * Returns the paths in a text with their positions: paths from a root, or with folders and an extension. Bare names
 * ("index.ts", "node.js") are left out, because too much other text looks like them; so are URLs, patterns and words
 * joined by a slash.
 */
export function namedPaths(text: string): readonly NamedPath[] {
  return Array.from(text.matchAll(possiblePath())).flatMap(({ 0: path, index: at }) => {
    const strokes = path.match(/[\\/]/g)?.length ?? 0;
    const around = (text[at - 1] ?? "") + (text[at + path.length] ?? "");
    const isPath = strokes > 0 && (ENDING.test(path) || (ROOTED.test(path) && strokes > 1));
    return isPath && !PART_OF_PATTERN.test(around) ? [{ path, at }] : [];
  });
}

/** Renames paths in a text. Works from the end, so that earlier positions stay valid. */
export function renamePaths(text: string, rename: (path: string) => string): string {
  return namedPaths(text).reduceRight(
    (renamed, { path, at }) => renamed.slice(0, at) + rename(path) + renamed.slice(at + path.length),
    text,
  );
}

/** Returns the paths that do not occur in the compacted messages and have no mark yet, each once. */
export function unknownPaths(text: string, isKnown: (path: string) => boolean): readonly string[] {
  const unmarked = namedPaths(text).filter(({ path, at }) => !text.startsWith(UNVERIFIED, at + path.length));
  return [...new Set(unmarked.map(({ path }) => path))].filter((path) => !isKnown(path));
}

/** Marks each path that does not occur in the compacted messages. */
export function markUnknownPaths(text: string, isKnown: (path: string) => boolean): string {
  return namedPaths(text).reduceRight((marked, { path, at }) => {
    const end = at + path.length;
    if (isKnown(path) || marked.startsWith(UNVERIFIED, end)) return marked;
    return marked.slice(0, end) + UNVERIFIED + marked.slice(end);
  }, text);
}
