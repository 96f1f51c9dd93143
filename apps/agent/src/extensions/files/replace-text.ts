import { nearestLines } from "./nearest-lines.ts";
import { findSpelled, type UnspelledEdit } from "./spelled-edit.ts";

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
  const edit = { oldText, newText, occurrences };
  // The model sees lines without carriage returns, so it writes none.
  const withReturns = { ...edit, oldText: toReturns(oldText), newText: toReturns(newText) };
  for (const find of [findExact, findSpelled]) {
    for (const one of [edit, withReturns]) {
      const places = find(content, one);
      if (places.length > 0) return replaceAt(content, places, occurrences);
    }
  }
  return refused(notFound(content, oldText));
}

function replaceAt(
  content: string,
  places: readonly UnspelledEdit[],
  occurrences: TextEdit["occurrences"],
): EditedText {
  const found: (UnspelledEdit & { readonly kind: "found" })[] = [];
  for (const place of places) {
    if (place.kind === "ambiguous") return refused(ambiguousMark(place.mark));
    found.push(place);
  }
  const lines = found.map(({ from }) => content.slice(0, from).split("\n").length);
  if (occurrences === "unique" && found.length > 1) {
    const shown = lines.slice(0, 10).join(", ") + (lines.length > 10 ? ", ..." : "");
    return refused(
      `The old text occurs ${found.length} times, at lines ${shown}. Give more of what stands around it, or set replace_all.`,
    );
  }
  const pieces: string[] = [];
  let end = 0;
  for (const { from, oldText, newText } of found) {
    pieces.push(content.slice(end, from), newText);
    end = from + oldText.length;
  }
  return { kind: "edited", content: pieces.join("") + content.slice(end), lines };
}

/** Why a mark cannot be turned back into what it stands for. */
export function ambiguousMark(mark: string): string {
  return `${mark} stands for several things in this text. Edit smaller parts, each with one of them, or use a command.`;
}

function findExact(content: string, { oldText, newText }: TextEdit): readonly UnspelledEdit[] {
  return placesOf(content, oldText).map((from) => ({ kind: "found", from, oldText, newText }));
}

function toReturns(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
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
