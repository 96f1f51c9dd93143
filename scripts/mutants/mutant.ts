/** What was changed, as a kind of mistake. */
export type MutantKind =
  | "boundary"
  | "equality"
  | "logical"
  | "arithmetic"
  | "boolean"
  | "call-removed"
  | "return-emptied"
  | "condition"
  | "number"
  | "string";

/** A small mistake in a source: some of its text is another. */
export interface Mutant {
  readonly kind: MutantKind;
  /** The characters that are replaced, the end not included. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}
