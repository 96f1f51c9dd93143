/** An instruction file. */
export interface InstructionFile {
  /** The real path. */
  readonly path: string;
  /** Its scope: the user (all projects), a folder above the project, the project, or a folder in the project. */
  readonly of: "user" | "above" | "project" | "folder";
  /** The folder in which it was found. */
  readonly folder: string;
  readonly importedBy?: string;
  readonly text: string;
}

/** The limit of all files together. The model can read longer files when it needs them. */
export const MAX_CHARACTERS = 40_000;
