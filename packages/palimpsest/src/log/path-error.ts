import { PalimpsestError } from "./palimpsest-error.ts";

/** An error about one file or folder. */
export abstract class PathError extends PalimpsestError {
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}
