// A pasted text may be somebody else's. It stands in the prompt as a word, and it is sent as a part of its own that is marked as text
// from outside: the names in it attach no files, and its sentences are not the user's words.

/** A pasted text, and the word that stands for it in the prompt. */
export interface Paste {
  readonly word: string;
  readonly text: string;
}

/** The characters of a one-line paste that its word shows. */
const SHOWN_CHARACTERS = 40;
/** A name, a path, a number or an address. It is no sentence, and without an `@` it names no file. */
const NAME = /^[\w./:~+=#%,-]{1,200}$/;
/** A slash command with at most one argument, copied from documentation. */
const COMMAND = /^\/[\w-]{1,40}(?: [\w./:-]{1,80})?$/;
/** A shell command after a typed `!`, which the user sees and runs. */
const MAX_SHELL_CHARACTERS = 600;

/**
 * Returns the pasted text if it goes into the prompt like typed text; undefined if it is a part of its own.
 * @param before what stands in the prompt
 */
export function asTyped(pasted: string, before: string): string | undefined {
  const text = pasted.trim();
  const isShell = before.startsWith("!") && text.length <= MAX_SHELL_CHARACTERS && !text.includes("\n");
  return isShell || NAME.test(text) || (before === "" && COMMAND.test(text)) ? text : undefined;
}

/** Names a paste in the prompt: `[paste 1: 40 lines]`, or its beginning if it has one line. @param label `paste`, or `earlier paste` */
export function toPaste(text: string, number: number, label = "paste"): Paste {
  const lines = text.trimEnd().split("\n");
  if (lines.length > 1) return { word: `[${label} ${number}: ${lines.length} lines]`, text };
  const shown = lines[0]!.trim().replaceAll(/[[\]]/g, "");
  const characters = [...shown];
  const beginning = characters.length > SHOWN_CHARACTERS ? `${characters.slice(0, SHOWN_CHARACTERS).join("")}…` : shown;
  return { word: `[${label} ${number}: ${beginning}]`, text };
}

/** The pastes whose words stand in a text. */
export function pastesIn(text: string, pastes: readonly Paste[]): readonly Paste[] {
  return pastes.filter(({ word }) => text.includes(word));
}

/** Replaces words by their pastes, for display and for shell commands. */
export function withPastes(text: string, pastes: readonly Paste[]): string {
  return pastes.reduce((whole, paste) => whole.replace(paste.word, () => paste.text), text);
}

interface Separated {
  /** The typed text. `[paste 1]` stands for each paste. */
  readonly text: string;
  readonly pasted: readonly { readonly name: string; readonly text: string }[];
}

/** Separates typed text from pastes, which stand in the text as words or, in the argument of a command, in whole. */
export function separatePastes(text: string, pastes: readonly Paste[]): Separated {
  let typed = text;
  const pasted: { readonly name: string; readonly text: string }[] = [];
  for (const paste of pastes) {
    const name = paste.word.slice(1, paste.word.indexOf(":"));
    const whole = paste.text.trim();
    const found = typed.includes(paste.word) ? paste.word : whole !== "" && typed.includes(whole) ? whole : undefined;
    if (found === undefined) continue;
    typed = typed.replaceAll(found, () => `[${name}]`);
    pasted.push({ name, text: paste.text });
  }
  return { text: typed, pasted };
}
