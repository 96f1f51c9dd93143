import { type SpelledPlace, spellForEditing } from "palimpsest/sanitize";

interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  /** `unique`: the text must occur once. `all`: replaces every occurrence. */
  readonly occurrences: "unique" | "all";
}

type EditedText =
  | { readonly kind: "edited"; readonly content: string; readonly lines: readonly number[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Replaces exact text. If the text is not found, the reason shows the most similar lines. */
export function replaceText(content: string, { oldText, newText, occurrences }: TextEdit): EditedText {
  if (oldText === "") return refused("The old text is empty. Name the text to replace, or use Write for a new file.");
  if (oldText === newText) return refused("The old and the new text are the same: there is nothing to change.");
  const edit = { oldText, newText, occurrences };
  // Read shows lines without carriage returns, so the model's texts have none.
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

/** Explains why a mark cannot be converted back to its characters. */
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

interface SpelledEdit {
  readonly oldText: string;
  readonly newText: string;
}

/** An edit in the file's own characters: the text to replace, and its replacement. */
type UnspelledEdit =
  | { readonly kind: "found"; readonly from: number; readonly oldText: string; readonly newText: string }
  | { readonly kind: "ambiguous"; readonly mark: string };

/**
 * Finds the places of an edit whose old text is spelled as Read shows it, with marks for hidden characters (⟨U+202E⟩).
 * Marks in the new text become the hidden characters of the old text: an edit can keep or remove hidden characters, but
 * not add any.
 */
function findSpelled(content: string, { oldText, newText }: SpelledEdit): readonly UnspelledEdit[] {
  const { text, places } = spellForEditing(content);
  if (places.length === 0) return [];
  const found: UnspelledEdit[] = [];
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + oldText.length)) {
    const end = at + oldText.length;
    // A match must not start or end inside a mark.
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

type RestoredText =
  | { readonly kind: "restored"; readonly text: string; readonly characters: number }
  | { readonly kind: "ambiguous"; readonly mark: string };

/** Restores the marks in a new file content to the hidden characters of the current content. */
export function restoreHidden(content: string, before: string): RestoredText {
  const { text, places } = spellForEditing(before);
  return restoreMarks(content, places, text);
}

/** Converts marks back to characters. @param shown the text whose marks stand for characters */
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

/** The number of additional characters in the shown text. */
function surplus(places: readonly SpelledPlace[]): number {
  return places.reduce((sum, { shown, raw }) => sum + shown.length - raw.length, 0);
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

interface NearestLines {
  /** The first line of the place, counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The share of lines that are equal except for white space. */
  readonly likeness: number;
}

/** Limits comparisons to a few tens of milliseconds. */
const MAX_COMPARISONS = 5_000_000;

/** Finds the lines that are most similar to a text that was not found. Undefined without similar lines. */
function nearestLines(content: string, wanted: string): NearestLines | undefined {
  const lines = content.split("\n");
  const sought = wanted.replace(/\n$/, "").split("\n").map(squeeze);
  if (lines.length * sought.length > MAX_COMPARISONS) return undefined;
  const squeezed = lines.map(squeeze);
  let best = { line: 0, alike: 0 };
  for (let start = 0; start < lines.length; start++) {
    const alike = sought.filter((line, position) => line !== "" && squeezed[start + position] === line).length;
    if (alike > best.alike) best = { line: start + 1, alike };
  }
  if (best.alike === 0) return undefined;
  const text = lines.slice(best.line - 1, best.line - 1 + sought.length).join("\n");
  return { line: best.line, text, likeness: best.alike / sought.filter((line) => line !== "").length };
}

function squeeze(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}
