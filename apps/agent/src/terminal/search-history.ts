import type { Key } from "./key.ts";
import { editorOf } from "./prompt/editor.ts";
import type { ScreenState } from "./state.ts";

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
