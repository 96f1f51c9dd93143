export interface NotesOptions {
  /** Headings with an italic line each that says what belongs there. @default our ten sections */
  readonly template?: string;
  /** What the model is told that updates them; see docs/guides/session-notes.md. @default our own words */
  readonly prompt?: string;
  /** Writes them down for people to read, after each update. @default they are in the log only */
  readonly write?: (markdown: string) => Promise<void>;
}

export type NotesUpdateOutcome =
  | { readonly kind: "updated" | "unchanged"; readonly markdown: string }
  | { readonly kind: "failed"; readonly why: string };

/** The session's notes. A compaction can use them instead of a summary. */
export interface SessionNotes {
  /** The notes as markdown; the empty template if there are none yet. */
  read(): Promise<string>;
  /** The newest version as it was written, with its time and the newest entry that it covers; undefined if there are no notes. */
  latest(): Promise<
    { readonly markdown: string; readonly entry: number; readonly coveredTo: number; readonly atMs: number } | undefined
  >;
  /** Updates the notes now, with a call on the cached prompt. The session also updates them itself when that saves money. */
  update(options?: { readonly signal?: AbortSignal }): Promise<NotesUpdateOutcome>;
}
