import type { FileAccess } from "../../../view/file-of.ts";

export type LineRange = readonly [firstLine: number, lastLine: number];

/**
 * Where an edit stands in its file: by a line of the new text, since edits report no line numbers and later ones move lines.
 * `npm run -s lab -- economics`, profile `balanced`: of the lines that edits replace, 5.95% are out of view instead of 6.15%.
 */
export interface WrittenLines {
  /** The longest line of the new text, or its beginning. */
  readonly line: string;
  /** The number of new lines before it and after it. */
  readonly before: number;
  readonly after: number;
}

/** A file that a call reads or edits, with its lines as far as they are known. */
export interface FileTouch extends FileAccess {
  readonly range?: LineRange;
  readonly written?: WrittenLines;
}
