import { fuzzyRank } from "../../text/fuzzy.ts";
import type { ScreenState } from "../state.ts";
import { editorText } from "./editor.ts";

/** Completions for the text at the cursor: a command, or a file after an `@`. */
export interface Suggestions {
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
