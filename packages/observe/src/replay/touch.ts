/** A read or an edit of a file: the lines that are read, or the text that is replaced. */
export interface Touch {
  readonly path: string;
  readonly access: "read" | "edit";
  readonly lines?: readonly [first: number, last: number];
  readonly replaced?: string;
  /** The replacement, or the whole text of a new file. */
  readonly written?: string;
}
