import { PalimpsestError } from "palimpsest";

/** A folder of a memory that is a link, no folder, or another user's. Nothing was read from it or written to it. */
export class UnsafeMemoryError extends PalimpsestError {
  static readonly code = "unsafe-memory";
  readonly code: string = UnsafeMemoryError.code;
  readonly path: string;

  constructor(path: string) {
    super(`${path} is a link, no folder, or another user's: it was left alone. Remove it, or choose another folder.`);
    this.path = path;
  }
}

/** The memory was closed before. */
export class ClosedMemoryError extends PalimpsestError {
  static readonly code = "closed-memory";
  readonly code: string = ClosedMemoryError.code;
  readonly folder: string;

  constructor(folder: string) {
    super(`The memory in ${folder} was closed here. Open it again to use it.`);
    this.folder = folder;
  }
}
