import { InvalidOptionError } from "../errors.ts";
import { findProblems } from "./check.ts";
import { describeSchema } from "./describe.ts";
import type { Schema } from "./schema.ts";

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

/**
 * Checks an object of options whose names are all known. A misspelled option would otherwise change nothing, and nobody would notice.
 * @param of the name of the function
 */
export function checkAllOptions(of: string, options: unknown, known: Readonly<Record<string, Needed>>): void {
  const names = Object.keys(known);
  const call = `${of}()`;
  if (!isObject(options))
    throw new InvalidOptionError(`The options of ${call}`, options, `an object with ${listed(names)}`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const meant = nearestName(name, names);
    const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    const message = `${call} has no option "${name}".${hint} Its options: ${listed(names)}.`;
    throw new InvalidOptionError(`${of}({ ${name} })`, options[name], "", message);
  }
  for (const [name, one] of Object.entries(known)) checkArgument(`The option ${name} of ${call}`, options[name], one);
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
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

/** Needs a number that is not negative. An infinite number is one, too: it switches many rules off. */
export const A_COUNT: Needed = {
  needed: "a number from 0 on",
  fits: (value) => typeof value === "number" && value >= 0,
};

/** The same, or nothing. */
export const MAYBE_A_COUNT: Needed = ifGiven(A_COUNT);

/** Needs a value that fits a schema. */
export function aValueOf(schema: Schema): Needed {
  return { needed: describeSchema(schema), fits: (value) => findProblems(schema, value).length === 0 };
}

/** Makes a requirement optional: undefined passes, too. */
export function ifGiven({ needed, fits }: Needed): Needed {
  return { needed, fits: (value) => value === undefined || fits(value) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Returns the name that a mistyped name most likely means; undefined if no name is near. */
export function nearestName(typed: string, names: readonly string[], mostEdits = 3): string | undefined {
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const edits = editsBetween(typed.toLowerCase(), name.toLowerCase());
    if (edits <= mostEdits && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { name, edits };
  }
  return nearest?.name;
}

/** The edit distance: letters to insert, delete or change. */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const here = [row];
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1;
      here[column] = Math.min(above[column]! + 1, here[column - 1]! + 1, above[column - 1]! + changed);
    }
    above = here;
  }
  return above[other.length]!;
}
