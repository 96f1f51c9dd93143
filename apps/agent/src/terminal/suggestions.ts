import { editorText } from "./editor.ts";
import type { ScreenState } from "./state.ts";

/** Completions for the text at the cursor: a command, or a file after an `@`. */
export interface Suggestions {
  /** The word to complete. It ends at the cursor. */
  readonly word: string;
  readonly options: readonly { readonly text: string; readonly about: string }[];
}

const MOST = 8;

export function suggestionsOf({ editor, commands, files, suggestion }: ScreenState): Suggestions | undefined {
  const text = editorText({ ...editor, characters: editor.characters.slice(0, editor.cursor) });
  const word = /(^\/\S*|(?<=^|\s)@\S*)$/.exec(text)?.[0];
  if (word === undefined || suggestion.closedFor === word) return undefined;
  const options = word.startsWith("/")
    ? commands
        .filter(({ name }) => name.startsWith(word.slice(1).toLowerCase()))
        // The shortest first: a whole name means that command.
        .toSorted((one, other) => one.name.length - other.name.length)
        .map(({ name, about }) => ({ text: `/${name}`, about }))
    : filesLike(word.slice(1), files).map((file) => ({ text: `@${file}`, about: "" }));
  return options.length === 0 ? undefined : { word, options: options.slice(0, MOST) };
}

/** Files whose path contains the typed text: names that start with it first, then short paths. */
function filesLike(typed: string, files: ScreenState["files"]): readonly string[] {
  if (files === "unknown") return [];
  const wanted = typed.toLowerCase();
  return files
    .filter((file) => file.toLowerCase().includes(wanted))
    .map((file) => ({ file, rank: rankOf(file.toLowerCase(), wanted) }))
    .toSorted((one, other) => one.rank - other.rank || one.file.length - other.file.length)
    .slice(0, MOST)
    .map(({ file }) => file);
}

function rankOf(file: string, wanted: string): number {
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (file.startsWith(wanted)) return 0;
  return name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3;
}
