import { nearestLines } from "./nearest-lines.ts";

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  /** `unique`: the text must occur once. `all`: every occurrence is replaced. */
  readonly occurrences: "unique" | "all";
}

export type EditedText =
  | { readonly kind: "edited"; readonly content: string; readonly lines: readonly number[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Replaces exact text. If the text is not found, the reason shows the most similar lines. */
export function replaceText(content: string, { oldText, newText, occurrences }: TextEdit): EditedText {
  if (oldText === "") return refused("The old text is empty. Name the text to replace, or use Write for a new file.");
  if (oldText === newText) return refused("The old and the new text are the same: there is nothing to change.");
  const places = placesOf(content, oldText);
  if (places.length === 0) {
    // The model sees lines without carriage returns, so it writes none.
    const asStored = oldText.replaceAll(/\r?\n/g, "\r\n");
    if (asStored !== oldText && content.includes(asStored)) {
      return replaceText(content, { oldText: asStored, newText: newText.replaceAll(/\r?\n/g, "\r\n"), occurrences });
    }
    return refused(notFound(content, oldText));
  }
  const lines = places.map((place) => content.slice(0, place).split("\n").length);
  if (occurrences === "unique" && places.length > 1) {
    const shown = lines.slice(0, 10).join(", ") + (lines.length > 10 ? ", ..." : "");
    return refused(
      `The old text occurs ${places.length} times, at lines ${shown}. Give more of what stands around it, or set replace_all.`,
    );
  }
  // A function, since "$&" and similar have a meaning in a replacement string.
  return { kind: "edited", content: content.replaceAll(oldText, () => newText), lines };
}

function placesOf(content: string, text: string): number[] {
  const places: number[] = [];
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length)) places.push(at);
  return places;
}

function notFound(content: string, oldText: string): string {
  const nearest = nearestLines(content, oldText);
  if (nearest === undefined)
    return "The old text does not occur in the file, nor anything like it. Read the file again.";
  const how =
    nearest.likeness === 1
      ? "Only white space differs"
      : `${Math.round(nearest.likeness * 100)} % of its lines are alike`;
  return `The old text does not occur in the file. ${how} at line ${nearest.line}, where it says:\n${nearest.text}`;
}

function refused(reason: string): EditedText {
  return { kind: "refused", reason };
}
