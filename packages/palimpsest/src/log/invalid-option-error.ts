import { PalimpsestError } from "./palimpsest-error.ts";

const MAX_SHOWN = 200;

/** An invalid option or argument: its name, the given value, and what is needed. */
export class InvalidOptionError extends PalimpsestError {
  static readonly code = "invalid-option";
  readonly code: string = InvalidOptionError.code;
  readonly option: string;
  readonly value: unknown;

  constructor(option: string, value: unknown, needed: string, message?: string) {
    super(message ?? `${option} is ${shown(value)}; it must be ${needed}.`);
    this.option = option;
    this.value = value;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "function") return "a function";
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    // Cyclic objects and big integers have no JSON form.
    text = Object.prototype.toString.call(value);
  }
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
