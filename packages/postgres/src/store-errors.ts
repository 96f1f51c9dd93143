import { PalimpsestError } from "palimpsest";

/** The reader, writer or store was closed before. */
export class ClosedStoreError extends PalimpsestError {
  static readonly code = "closed-store";
  readonly code: string = ClosedStoreError.code;

  constructor(what: "The log" | "The store") {
    super(`${what} was closed here. Open it again to use it.`);
  }
}

/** A result is in a bucket, and this process was not told which. */
export class NoObjectStoreError extends PalimpsestError {
  static readonly code = "no-object-store";
  readonly code: string = NoObjectStoreError.code;

  constructor(bytes: number) {
    super(
      `A result of ${bytes} bytes is in object storage. Open the database with \`largeResults: { objects }\` to read it.`,
    );
  }
}
