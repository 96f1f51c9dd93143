/** A guard of the product, and how it is turned off: nothing else of the product changes. */
export interface Guard {
  /** What is not guarded any more. */
  readonly without: string;
  /** Each text stands exactly once in its file, which is named from the top of the repository. */
  readonly edits: readonly Edit[];
}

export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** The text of a file with its guard turned off. What does not fit any more is no guard, and nothing would be proved. */
export function withoutGuard(text: string, edits: readonly Edit[]): string {
  return edits.reduce((edited, { file, find, replace }) => {
    const pieces = edited.split(find);
    if (pieces.length !== 2) throw new Error(`${file}: the guard stands there ${pieces.length - 1} times: ${find}`);
    return pieces.join(replace);
  }, text);
}
