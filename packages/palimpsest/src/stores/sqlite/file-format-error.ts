import { PathError } from "../../log/path-error.ts";

/** A file belongs to another program, or to a later version of this one, by the marks in its header. It was not changed. */
export abstract class FileFormatError extends PathError {
  readonly applicationId: number;
  readonly formatVersion: number;

  constructor(path: string, found: { applicationId: number; formatVersion: number; remedy: string }) {
    super(
      path,
      `${path} is marked with application id ${found.applicationId} and format ${found.formatVersion}: ${found.remedy}`,
    );
    this.applicationId = found.applicationId;
    this.formatVersion = found.formatVersion;
  }
}
