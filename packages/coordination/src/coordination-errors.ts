import { PathError } from "palimpsest/core";
import { DamagedLogError, FileFormatError, messageOf, toStoreError } from "palimpsest/sqlite";

/** A file of another program, or of a later version of this one. It was not touched. */
export class CoordinationFormatError extends FileFormatError {
  static readonly code = "home-format";
  readonly code: string = CoordinationFormatError.code;
}

/** A file that does not hold what was once written to it. */
export class DamagedCoordinationError extends PathError {
  static readonly code = "damaged-home";
  readonly code: string = DamagedCoordinationError.code;

  constructor(path: string, cause: unknown) {
    super(
      path,
      `${path} is damaged (${messageOf(cause)}). Stop what uses it and move it away with its -wal: a new one is begun. Sessions are not in it; lost are the messages that were not delivered yet, and when memory was consolidated last.`,
      { cause },
    );
  }
}

/** The home was closed before. */
export class ClosedCoordinationError extends PathError {
  static readonly code = "closed-home";
  readonly code: string = ClosedCoordinationError.code;

  constructor(path: string) {
    super(path, `${path} was closed here. Open it again to use it.`);
  }
}

/** What a failed call of SQLite or of the file system means for the one who called. */
export function toCoordinationError(path: string, error: unknown): Error {
  const told = toStoreError(path, error);
  return DamagedLogError.isInstance(told) ? new DamagedCoordinationError(path, error) : told;
}
