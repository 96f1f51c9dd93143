import { PalimpsestError } from "palimpsest";

/** A result cannot be read to its end: it was removed meanwhile, or is not what was kept. */
export class ResultDamagedError extends PalimpsestError {
  static readonly code = "result-damaged";
  readonly code: string = ResultDamagedError.code;

  constructor(what: string) {
    super(`A result cannot be read: ${what}.`);
  }
}
