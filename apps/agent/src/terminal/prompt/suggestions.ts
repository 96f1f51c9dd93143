import { fuzzyRank } from "../../text/nearest.ts";
import type { ScreenState } from "../state.ts";
import { editorOf, editorText, type Key } from "./editor.ts";

/** Completions for the text at the cursor: a command, or a file after an `@`. */
interface Suggestions {
  /** The word to complete. It ends at the cursor. */
  readonly word: string;
  /** All of them, the best first. The screen shows some at a time. */
  readonly options: readonly { readonly text: string; readonly about: string }[];
}

/** Nobody scrolls through more. */
const MOST_FILES = 100;

export function suggestionsOf({ editor, commands, files, suggestion }: ScreenState): Suggestions | undefined {
  const text = editorText({ ...editor, characters: editor.characters.slice(0, editor.cursor) });
  const word = /(^\/\S*|(?<=^|\s)@\S*)$/.exec(text)?.[0];
  if (word === undefined || suggestion.closedFor === word) return undefined;
  const typed = word.slice(1);
  const options = word.startsWith("/")
    ? bestOf(commands, ({ name }) => commandRank(typed, name)).map(({ name, about }) => ({ text: `/${name}`, about }))
    : filesLike(typed, files).map((file) => ({ text: `@${file}`, about: "" }));
  return options.length === 0 ? undefined : { word, options };
}

/** Of commands that begin alike, the shortest is meant. Without a letter, their own order says more. */
function commandRank(typed: string, name: string): number | undefined {
  const rank = fuzzyRank(typed, name);
  return rank === undefined || typed === "" ? rank : rank + name.length / 1_000;
}

/** Those that fit, the best first; equally good ones keep their order. */
function bestOf<One>(all: readonly One[], rankOf: (one: One) => number | undefined): readonly One[] {
  return all
    .flatMap((one) => {
      const rank = rankOf(one);
      return rank === undefined ? [] : [{ one, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ one }) => one);
}

/** Files whose path fits the typed text: by their name first, then by their path, short paths first. */
function filesLike(typed: string, files: ScreenState["files"]): readonly string[] {
  if (files === "unknown") return [];
  const byLength = files.toSorted((one, other) => one.length - other.length);
  return bestOf(byLength, (file) => {
    const whole = fuzzyRank(typed, file);
    if (whole === undefined || whole <= 1) return whole;
    const inName = fuzzyRank(typed, file.slice(file.lastIndexOf("/") + 1));
    return Math.min(whole, inName === undefined ? whole : inName + 0.5);
  }).slice(0, MOST_FILES);
}

export function startSearch(state: ScreenState): ScreenState {
  return { ...state, search: { typed: "", at: state.history.entries.length } };
}

/**
 * Handles a key during a search. Typing searches, ctrl-r finds an older message, Escape leaves it. Any other key ends the search with the
 * found message in the prompt. Undefined: the key is then for the prompt.
 */
export function updateSearch(state: ScreenState, key: Key): { readonly state: ScreenState; readonly key?: Key } {
  const { search, ...rest } = state;
  const { typed, at } = search!;
  const isControl = key.held === "ctrl" && key.name === "text";
  if (isControl && key.text === "r") return { state: find(state, typed, at) };
  if (key.name === "escape" || (isControl && (key.text === "c" || key.text === "g"))) return { state: rest };
  if (key.name === "backspace") return { state: find(state, [...typed].slice(0, -1).join(""), newest(state)) };
  if (key.name === "text" && key.held === "nothing") return { state: find(state, typed + key.text, at + 1) };
  const found = foundText(state);
  const accepted = found === undefined ? rest : { ...rest, editor: editorOf(found) };
  // Return takes the message; a second one sends it.
  return key.name === "return" || key.name === "tab" ? { state: accepted } : { state: accepted, key };
}

/** The message that was found. */
export function foundText({ search, history }: ScreenState): string | undefined {
  return search === undefined ? undefined : history.entries[search.at];
}

function newest({ history }: ScreenState): number {
  return history.entries.length;
}

/** Looks for the words before a place. Where nothing older fits, what was found stays. */
function find(state: ScreenState, typed: string, before: number): ScreenState {
  const wanted = typed.toLowerCase();
  const { entries } = state.history;
  const older = entries.slice(0, Math.max(0, before)).findLastIndex((text) => text.toLowerCase().includes(wanted));
  const isSame = typed === state.search!.typed;
  return { ...state, search: { typed, at: older >= 0 ? older : isSame ? state.search!.at : -1 } };
}
