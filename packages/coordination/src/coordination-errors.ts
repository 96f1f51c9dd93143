import { messageOf } from "palimpsest";
import { DamagedLogError, FileFormatError, toStoreError } from "palimpsest/sqlite";
import { PathError } from "palimpsest/store-parts";

/** A file belongs to another program, or to a later version of this one. It was not changed. */
export class CoordinationFormatError extends FileFormatError {
  static readonly code = "home-format";
  readonly code: string = CoordinationFormatError.code;
}

/** A file is damaged: its content is not what was written. */
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

/** The coordination store is already closed. */
export class ClosedCoordinationError extends PathError {
  static readonly code = "closed-home";
  readonly code: string = ClosedCoordinationError.code;

  constructor(path: string) {
    super(path, `${path} was closed here. Open it again to use it.`);
  }
}

/** Translates a failure of SQLite or of the file system into an error for the caller. */
export function toCoordinationError(path: string, error: unknown): Error {
  const told = toStoreError(path, error);
  return DamagedLogError.isInstance(told) ? new DamagedCoordinationError(path, error) : told;
}
