import type { Words } from "./script.ts";

/** All texts run together where the first one stands, for what has only one: a chat message, a summary. */
export function joinTexts(words: readonly Words[]): Words[] {
  const texts = words.flatMap((each) => (each.kind === "text" ? [each.text] : []));
  if (texts.length < 2) return [...words];
  const first = words.findIndex(({ kind }) => kind === "text");
  return words.flatMap((each, index): Words[] => {
    if (each.kind !== "text") return [each];
    return index === first ? [{ kind: "text", text: texts.join("") }] : [];
  });
}
