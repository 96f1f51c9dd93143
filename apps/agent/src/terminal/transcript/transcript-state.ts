import type { TranscriptEntry } from "../../workspace/read-transcript.ts";
import type { Key } from "../prompt/editor.ts";

/** The view of the whole session, including everything that was compacted or cleared. */
export interface TranscriptState {
  readonly entries: readonly TranscriptEntry[];
  readonly at: number;
  /** The first visible line of the chosen entry. */
  readonly line: number;
  /** The numbers of the entries that are shown in full. */
  readonly opened: readonly number[];
  readonly search: { readonly state: "none" | "typing" | "found"; readonly words: string };
  /** The message at the bottom: no match, or the result of an undo. */
  readonly said?: string;
}

type TranscriptStep =
  | { readonly kind: "changed"; readonly state: TranscriptState }
  | { readonly kind: "closed" }
  /** Undo this compaction. */
  | { readonly kind: "undo"; readonly boundary: number };

const PAGE = 10;
/** The lines shown before a match. */
const LINES_BEFORE = 2;

export function updateTranscript(state: TranscriptState, key: Key): TranscriptStep {
  if (state.search.state === "typing") return changed(typeSearch(state, key));
  const { said: _, ...quiet } = state;
  const entry = state.entries[state.at];
  const to = (at: number): TranscriptStep => changed({ ...quiet, at: within(state, at), line: 0 });
  const isOpen = entry !== undefined && state.opened.includes(entry.entry);
  switch (key.name === "text" && key.held !== "ctrl" ? key.text : key.name) {
    case "escape":
    case "q":
      return { kind: "closed" };
    case "up":
    case "k":
      return to(state.at - 1);
    case "down":
    case "j":
      return to(state.at + 1);
    case "page-up":
    case "b":
      if (isOpen && state.line > 0) return changed({ ...quiet, line: Math.max(0, state.line - PAGE) });
      return to(state.at - PAGE);
    case "page-down":
    case " ":
      if (isOpen && state.line + PAGE < entry.text.split("\n").length) {
        return changed({ ...quiet, line: state.line + PAGE });
      }
      return to(state.at + PAGE);
    case "home":
    case "g":
      return to(0);
    case "end":
    case "G":
      return to(state.entries.length - 1);
    case "return":
      return entry === undefined
        ? changed(quiet)
        : changed({ ...quiet, line: 0, opened: toggled(state.opened, entry.entry) });
    case "/":
      return changed({ ...quiet, search: { state: "typing", words: "" } });
    case "n":
      return changed(find(quiet, 1));
    case "N":
      return changed(find(quiet, -1));
    case "c":
      return changed(toBoundary(quiet));
    case "o": {
      const from = entry?.boundary?.from;
      const first = from === undefined ? -1 : state.entries.findIndex((one) => one.entry >= from);
      return first < 0
        ? changed({
            ...quiet,
            said: "Choose a compaction first (press c). Then o shows the messages that it replaced.",
          })
        : to(first);
    }
    case "u":
      if (entry?.boundary?.inEffect === "yes") return { kind: "undo", boundary: entry.entry };
      return changed({
        ...quiet,
        said: "Only a compaction that is in effect can be undone. Press c to go to the newest one.",
      });
    default:
      return changed(quiet);
  }
}

function typeSearch(state: TranscriptState, { name, text, held }: Key): TranscriptState {
  const { words } = state.search;
  if (name === "escape") return { ...state, search: { state: "none", words: "" } };
  if (name === "return") return find({ ...state, search: { state: "found", words } }, -1, state.entries.length);
  if (name === "backspace") return { ...state, search: { state: "typing", words: words.slice(0, -1) } };
  return name === "text" && held !== "ctrl" ? { ...state, search: { state: "typing", words: words + text } } : state;
}

/** Finds and opens the next entry in a direction that contains the words. */
function find(state: TranscriptState, step: 1 | -1, from: number = state.at): TranscriptState {
  const words = state.search.words.toLowerCase();
  if (words === "") return { ...state, said: "No search yet. Press / to search." };
  for (let at = from + step; at >= 0 && at < state.entries.length; at += step) {
    const { text, title, entry } = state.entries[at]!;
    if (!text.toLowerCase().includes(words) && !title.toLowerCase().includes(words)) continue;
    const found = text.split("\n").findIndex((line) => line.toLowerCase().includes(words));
    return { ...state, at, line: Math.max(0, found - LINES_BEFORE), opened: [...new Set([...state.opened, entry])] };
  }
  return {
    ...state,
    said: `No ${step === 1 ? "later" : "earlier"} entry contains ${JSON.stringify(state.search.words)}.`,
  };
}

/** Goes to the newest compaction before the chosen entry, or to the newest of all. */
function toBoundary(state: TranscriptState): TranscriptState {
  const isBoundary = ({ boundary }: TranscriptEntry): boolean => boundary !== undefined;
  const before = state.entries.slice(0, state.at).findLastIndex(isBoundary);
  const at = before >= 0 ? before : state.entries.findLastIndex(isBoundary);
  if (at < 0) return { ...state, said: "The conversation has not been compacted yet." };
  return { ...state, at, line: 0, opened: [...new Set([...state.opened, state.entries[at]!.entry])] };
}

function changed(state: TranscriptState): TranscriptStep {
  return { kind: "changed", state };
}

function within({ entries }: TranscriptState, at: number): number {
  return Math.max(0, Math.min(entries.length - 1, at));
}

function toggled(numbers: readonly number[], number: number): readonly number[] {
  return numbers.includes(number) ? numbers.filter((one) => one !== number) : [...numbers, number];
}
