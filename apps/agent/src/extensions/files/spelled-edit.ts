import { type SpelledPlace, spellForEditing } from "palimpsest/sanitize";

interface SpelledEdit {
  readonly oldText: string;
  readonly newText: string;
}

/** An edit in terms of what stands in the file: which text is replaced by which. */
export type UnspelledEdit =
  | { readonly kind: "found"; readonly from: number; readonly oldText: string; readonly newText: string }
  | { readonly kind: "ambiguous"; readonly mark: string };

/**
 * Finds the places of an edit whose old text is written as Read shows it, with hidden characters spelled out (⟨U+202E⟩). Marks in
 * the new text become the characters again, as far as the old text had them: an edit can keep or remove them, and adds none.
 */
export function findSpelled(content: string, { oldText, newText }: SpelledEdit): readonly UnspelledEdit[] {
  const { text, places } = spellForEditing(content);
  if (places.length === 0) return [];
  const found: UnspelledEdit[] = [];
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + oldText.length)) {
    const end = at + oldText.length;
    // A mark that is only in part in the old text is no match.
    if (places.some((place) => isWithin(at, place) || isWithin(end, place))) continue;
    const own = places.filter((place) => place.at >= at && place.at < end);
    const from = at - surplus(places.filter((place) => place.at < at));
    const raw = content.slice(from, from + oldText.length - surplus(own));
    const restored = restoreMarks(newText, own, oldText);
    found.push(
      restored.kind === "ambiguous" ? restored : { kind: "found", from, oldText: raw, newText: restored.text },
    );
  }
  return found;
}

export type RestoredText =
  | { readonly kind: "restored"; readonly text: string; readonly characters: number }
  | { readonly kind: "ambiguous"; readonly mark: string };

/** A new content for a file, with the hidden characters that the file has now in the place of their marks. */
export function restoreHidden(content: string, before: string): RestoredText {
  const { text, places } = spellForEditing(before);
  return restoreMarks(content, places, text);
}

/** @param shown the text with the marks that stand for something */
function restoreMarks(text: string, places: readonly SpelledPlace[], shown: string): RestoredText {
  const marks = [...new Set(places.map((place) => place.shown))].filter((mark) => text.includes(mark));
  let restored = text;
  let characters = 0;
  for (const mark of marks) {
    const own = places.filter((place) => place.shown === mark);
    const isWritten = countOf(shown, mark) > own.length;
    if (isWritten || new Set(own.map(({ raw }) => raw)).size > 1) return { kind: "ambiguous", mark };
    characters += countOf(restored, mark) * [...own[0]!.raw].length;
    restored = restored.replaceAll(mark, () => own[0]!.raw);
  }
  return { kind: "restored", text: restored, characters };
}

function isWithin(at: number, place: SpelledPlace): boolean {
  return at > place.at && at < place.at + place.shown.length;
}

/** How many characters longer the shown text is. */
function surplus(places: readonly SpelledPlace[]): number {
  return places.reduce((sum, { shown, raw }) => sum + shown.length - raw.length, 0);
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
