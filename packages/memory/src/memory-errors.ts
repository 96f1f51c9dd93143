import { PathError } from "palimpsest/store-parts";

/** A folder of a memory is a link, not a folder, or another user's. Nothing was read from it or written to it. */
export class UnsafeMemoryError extends PathError {
  static readonly code = "unsafe-memory";
  readonly code: string = UnsafeMemoryError.code;

  constructor(path: string) {
    super(
      path,
      `${path} is a link, no folder, or another user's: it was left alone. Remove it, or choose another folder.`,
    );
  }
}

/** The memory is already closed. */
export class ClosedMemoryError extends PathError {
  static readonly code = "closed-memory";
  readonly code: string = ClosedMemoryError.code;

  constructor(path: string) {
    super(path, `The memory in ${path} was closed here. Open it again to use it.`);
  }
}
