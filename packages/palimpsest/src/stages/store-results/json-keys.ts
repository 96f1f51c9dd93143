const MAX_KEYS = 20;
const MAX_KEY_CHARACTERS = 40;

/** By its two ends, because all of it may not be at hand. */
export function looksLikeJson({ head, tail }: { readonly head: string; readonly tail: string }): boolean {
  const [first, last] = [head.trimStart().charAt(0), tail.trimEnd().at(-1)];
  return (first === "{" && last === "}") || (first === "[" && last === "]");
}

/** The keys of the outermost object, or of the first one in a list, as far as the beginning of the text shows them. */
export function jsonKeys(head: string): string[] {
  const start = head.indexOf("{");
  if (start < 0 || !/^[\s[]*$/.test(head.slice(0, start))) return [];
  const keys: string[] = [];
  let depth = 0;
  // Strings (with what they escape, and a colon behind them), and what opens or closes a level.
  for (const [token, text, colon] of head.slice(start).matchAll(/"((?:[^"\\]|\\.)*)"\s*(:?)|[{}[\]]/gs)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && colon === ":") keys.push((text ?? "").slice(0, MAX_KEY_CHARACTERS));
    if (depth === 0 || keys.length === MAX_KEYS) break;
  }
  return keys.map((key) => key.replace(/[\n<]/g, " ").toWellFormed());
}
