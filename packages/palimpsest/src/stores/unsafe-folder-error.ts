import { PathError } from "../log/path-error.ts";

/** A folder for results that is a link, or another user's. Nothing was written to it. */
export class UnsafeFolderError extends PathError {
  static readonly code = "unsafe-folder";
  readonly code: string = UnsafeFolderError.code;

  constructor(path: string) {
    super(
      path,
      `${path} is a link, or belongs to another user: no result was written to it. Remove it, or choose another folder.`,
    );
  }
}
