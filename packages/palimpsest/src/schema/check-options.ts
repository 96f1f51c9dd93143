import { InvalidOptionError } from "../errors.ts";

/**
 * Checks the options of a call. Callers without TypeScript get an error that says what to pass, instead of a TypeError from
 * inside the library.
 * @param of the name of the function
 */
export function checkOptions(of: string, options: unknown, needed: Readonly<Record<string, Needed>>): void {
  if (!isObject(options)) {
    throw new InvalidOptionError(
      `The argument of ${of}()`,
      options,
      `an object with ${Object.keys(needed).join(", ")}`,
    );
  }
  for (const [name, one] of Object.entries(needed)) checkArgument(`${of}({ ${name} })`, options[name], one);
}

/** Checks one argument or option. */
export function checkArgument(name: string, value: unknown, { needed, fits }: Needed): void {
  if (!fits(value)) throw new InvalidOptionError(name, value, needed);
}

/** A requirement for an option: a text for the error message, and a test. */
export interface Needed {
  readonly needed: string;
  fits(value: unknown): boolean;
}

/** Needs a text that is not empty. */
export function aText(needed: string): Needed {
  return { needed, fits: (value) => typeof value === "string" && value !== "" };
}

/** Needs a function. */
export function aFunction(needed: string): Needed {
  return { needed, fits: (value) => typeof value === "function" };
}

/** Needs a list. */
export function aList(needed: string): Needed {
  return { needed, fits: Array.isArray };
}

/** Needs an object or a function. */
export function anObject(needed: string): Needed {
  return { needed, fits: isObject };
}

/** Needs an async iterable, such as a stream. */
export function anAsyncIterable(needed: string): Needed {
  return { needed, fits: (value) => isObject(value) && Symbol.asyncIterator in value };
}

/** Needs an object with these methods. */
export function withMethods(methods: readonly string[], needed: string): Needed {
  return { needed, fits: (value) => isObject(value) && methods.every((name) => typeof value[name] === "function") };
}

/** Makes a requirement optional: undefined passes, too. */
export function ifGiven({ needed, fits }: Needed): Needed {
  return { needed, fits: (value) => value === undefined || fits(value) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
