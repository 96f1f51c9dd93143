import { PalimpsestError } from "../log/palimpsest-error.ts";

/** A folder for results that is a link, or another user's. Nothing was written to it. */
export class UnsafeFolderError extends PalimpsestError {
  static readonly code = "unsafe-folder";
  readonly code: string = UnsafeFolderError.code;
  readonly path: string;

  constructor(path: string) {
    super(
      `${path} is a link, or belongs to another user: no result was written to it. Remove it, or choose another folder.`,
    );
    this.path = path;
  }
}
