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
