/** A file of instructions, as it was read. */
export interface InstructionFile {
  /** With links followed. */
  readonly path: string;
  /** Whose it is: the user's for every project, of a folder above the project, the project's, or of a folder in it. */
  readonly of: "user" | "above" | "project" | "folder";
  /** Where it was looked for. */
  readonly folder: string;
  readonly importedBy?: string;
  readonly text: string;
}

/** Of all files together. What is longer is rather documentation: the model can read it when it needs it. */
export const MAX_CHARACTERS = 40_000;
