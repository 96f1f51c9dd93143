const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CODE_SPAN = /(`+)(?!`).*?[^`]\1(?!`)/g;
const IMPORT = /(?<=^|\s)@((?:\\ |[^\s\\])+)/g;
/** Ends a sentence rather than a path. */
const PUNCTUATION = /[.,;:!?)\]}'"]+$/;
/** No file of instructions needs more, and a line of nothing but imports must not hold anybody up. */
const MAX_IMPORTS = 100;

/** The paths that a text imports, as they are written: `@docs/style.md` outside of code. A space in one is written `\ `. */
export function findImports(markdown: string): readonly string[] {
  const paths = new Set<string>();
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence === undefined) {
      for (const [, written] of line.replace(CODE_SPAN, "").matchAll(IMPORT)) {
        const path = written!.replaceAll("\\ ", " ").replace(PUNCTUATION, "");
        if (path !== "" && paths.size < MAX_IMPORTS) paths.add(path);
      }
    }
  }
  return [...paths];
}

/** `@someone` and `@scope/package` are no imports that failed. */
export function isSurelyPath(written: string): boolean {
  return /^(\.{0,2}|~)\/|\.(md|mdx|txt)$/i.test(written);
}
