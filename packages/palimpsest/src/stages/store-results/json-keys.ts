const MAX_KEYS = 20;
const MAX_KEY_CHARACTERS = 40;

/** Whether a content looks like JSON, judged by its two ends: the rest may not be available. */
export function looksLikeJson({ head, tail }: { readonly head: string; readonly tail: string }): boolean {
  const [first, last] = [head.trimStart().charAt(0), tail.trimEnd().at(-1)];
  return (first === "{" && last === "}") || (first === "[" && last === "]");
}

/**
 * Returns the keys of the outermost object, or of the first object in a list, as far as the beginning of the text shows
 * them.
 */
export function jsonKeys(head: string): string[] {
  const start = head.indexOf("{");
  if (start < 0 || !/^[\s[]*$/.test(head.slice(0, start))) return [];
  const keys: string[] = [];
  let depth = 0;
  // Matches strings (with their escapes and a following colon), and brackets that open or close a level.
  for (const [token, text, colon] of head.slice(start).matchAll(/"((?:[^"\\]|\\.)*)"\s*(:?)|[{}[\]]/gs)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && colon === ":") keys.push((text ?? "").slice(0, MAX_KEY_CHARACTERS));
    if (depth === 0 || keys.length === MAX_KEYS) break;
  }
  return keys.map((key) => key.replace(/[\n<]/g, " ").toWellFormed());
}
