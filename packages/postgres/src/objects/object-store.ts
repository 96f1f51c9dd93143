import { PalimpsestError } from "palimpsest";

/** Where large results are kept: a bucket of S3, or of anything that speaks its protocol. `s3Objects` is one. */
export interface ObjectStore {
  /** When this resolves, the object is durable. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes from one position up to another, which is not included; fewer at the end. Undefined if there is no such object. */
  read(key: string, from: number, to: number): Promise<Uint8Array | undefined>;
  /** Removes an object, or nothing if it is gone. */
  remove(key: string): Promise<void>;
  /** The objects whose keys begin with a text, page by page. */
  list(start: string): AsyncIterable<readonly ListedObject[]>;
}

/** An object, and when it was written. */
export interface ListedObject {
  readonly key: string;
  readonly atMs: number;
}

/** The object storage refused, or could not be reached. */
export class ObjectStoreError extends PalimpsestError {
  static readonly code = "object-store-failed";
  readonly code: string = ObjectStoreError.code;
  /** The status of the answer, if there was one. */
  readonly status: number | undefined;

  constructor(what: string, { status, cause }: { readonly status: number | undefined; readonly cause: unknown }) {
    const told = cause instanceof Error ? cause.message || cause.name : String(cause);
    super(`${what} failed${status === undefined ? "" : ` with status ${status}`}: ${told}. ${adviceFor(status)}`, {
      cause,
    });
    this.status = status;
  }
}

function adviceFor(status: number | undefined): string {
  if (status === 403)
    return "Check the credentials, and that they may get, put, delete and list objects of the bucket.";
  if (status === 404) return "Check the name of the bucket.";
  return "Try again.";
}
