import { PalimpsestError } from "palimpsest";

/** The reader, writer or store was closed before. */
export class ClosedStoreError extends PalimpsestError {
  static readonly code = "closed-store";
  readonly code: string = ClosedStoreError.code;

  constructor(what: "The log" | "The store") {
    super(`${what} was closed here. Open it again to use it.`);
  }
}
