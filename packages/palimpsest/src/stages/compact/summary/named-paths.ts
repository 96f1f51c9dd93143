/** What may be the path of a file; it does not begin inside of a word or an address. */
const PATH =
  /(?<![\p{L}\p{N}_@:/\\.~-])(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])?(?:[\p{L}\p{N}_.@+-]+[\\/])*[\p{L}\p{N}_.@+-]*[\p{L}\p{N}_]/gu;
const ROOTED = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])/;
const ENDING = /[^\\/.]\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const PART_OF_PATTERN = /[*{}<>$…]/;

export interface NamedPath {
  readonly path: string;
  readonly at: number;
}

/**
 * The paths that a text names, each where it stands: from a root, or with folders and an ending. Bare names ("index.ts",
 * "node.js") are left out: too much else looks like them. So are addresses, patterns and words with a stroke between.
 */
export function namedPaths(text: string): readonly NamedPath[] {
  return Array.from(text.matchAll(PATH)).flatMap(({ 0: path, index: at }) => {
    const strokes = path.match(/[\\/]/g)?.length ?? 0;
    const around = (text[at - 1] ?? "") + (text[at + path.length] ?? "");
    const isPath = strokes > 0 && (ENDING.test(path) || (ROOTED.test(path) && strokes > 1));
    return isPath && !PART_OF_PATTERN.test(around) ? [{ path, at }] : [];
  });
}

/**
 * Each naming of some paths as something else. From the end on, so that places stay right.
 */
export function renamePaths(text: string, rename: (path: string) => string): string {
  return namedPaths(text).reduceRight(
    (renamed, { path, at }) => renamed.slice(0, at) + rename(path) + renamed.slice(at + path.length),
    text,
  );
}
