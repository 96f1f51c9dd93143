const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CODE_SPAN = /(`+)(?!`).*?[^`]\1(?!`)/g;
const IMPORT = /(?<=^|\s)@((?:\\ |[^\s\\])+)/g;
/** Punctuation after a path, which belongs to the sentence. */
const PUNCTUATION = /[.,;:!?)\]}'"]+$/;
/** The most imports per file, so that a file full of imports cannot block the start. */
const MAX_IMPORTS = 100;

/** Finds the imported paths in a text: `@docs/style.md` outside of code. A space in a path is written `\ `. */
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

/** Whether a missing import is an error. `@someone` and `@scope/package` are not. */
export function isSurelyPath(written: string): boolean {
  return /^(\.{0,2}|~)\/|\.(md|mdx|txt)$/i.test(written);
}
