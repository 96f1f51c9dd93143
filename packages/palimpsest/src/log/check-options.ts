import { InvalidOptionError } from "./invalid-option-error.ts";

/** What an option must be: in words for whoever passed another, and as a test. */
export interface Needed {
  readonly needed: string;
  fits(value: unknown): boolean;
}

/** An object that has these methods. */
export function withMethods(methods: readonly string[], needed: string): Needed {
  return { needed, fits: (value) => isObject(value) && methods.every((name) => typeof value[name] === "function") };
}

export function aText(needed: string): Needed {
  return { needed, fits: (value) => typeof value === "string" && value !== "" };
}

export function aFunction(needed: string): Needed {
  return { needed, fits: (value) => typeof value === "function" };
}

export function aList(needed: string): Needed {
  return { needed, fits: Array.isArray };
}

export function anObject(needed: string): Needed {
  return { needed, fits: isObject };
}

export function anAsyncIterable(needed: string): Needed {
  return { needed, fits: (value) => isObject(value) && Symbol.asyncIterator in value };
}

/** The same, or nothing at all. */
export function ifGiven({ needed, fits }: Needed): Needed {
  return { needed, fits: (value) => value === undefined || fits(value) };
}

/**
 * Holds what a caller passed against what is needed: who writes no TypeScript is told at once what to pass, instead of a
 * TypeError from somewhere within.
 * @param of the function, as it is called
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

/** The same for one argument. */
export function checkArgument(name: string, value: unknown, { needed, fits }: Needed): void {
  if (!fits(value)) throw new InvalidOptionError(name, value, needed);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
