import { PalimpsestError } from "palimpsest";
import { DamagedLogError, messageOf, toStoreError } from "palimpsest/sqlite";

/** A file of another program, or of a later version of this one. It was not touched. */
export class CoordinationFormatError extends PalimpsestError {
  static readonly code = "home-format";
  readonly code: string = CoordinationFormatError.code;
  readonly path: string;
  readonly applicationId: number;
  readonly formatVersion: number;

  constructor(path: string, found: { applicationId: number; formatVersion: number; remedy: string }) {
    super(
      `${path} is marked with application id ${found.applicationId} and format ${found.formatVersion}: ${found.remedy}`,
    );
    this.path = path;
    this.applicationId = found.applicationId;
    this.formatVersion = found.formatVersion;
  }
}

/** A file that does not hold what was once written to it. */
export class DamagedCoordinationError extends PalimpsestError {
  static readonly code = "damaged-home";
  readonly code: string = DamagedCoordinationError.code;
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(
      `${path} is damaged (${messageOf(cause)}). Stop what uses it and move it away with its -wal: a new one is begun. Sessions are not in it; lost are the messages that were not delivered yet, and when memory was consolidated last.`,
      { cause },
    );
    this.path = path;
  }
}

/** The home was closed before. */
export class ClosedCoordinationError extends PalimpsestError {
  static readonly code = "closed-home";
  readonly code: string = ClosedCoordinationError.code;
  readonly path: string;

  constructor(path: string) {
    super(`${path} was closed here. Open it again to use it.`);
    this.path = path;
  }
}

/** What a failed call of SQLite or of the file system means for the one who called. */
export function toCoordinationError(path: string, error: unknown): Error {
  const told = toStoreError(path, error);
  return DamagedLogError.isInstance(told) ? new DamagedCoordinationError(path, error) : told;
}
