import { expect, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import {
  aFunction,
  aList,
  anAsyncIterable,
  anObject,
  aText,
  aValueOf,
  checkOptions,
  ifGiven,
  type Needed,
  withMethods,
} from "./check-options.ts";
import { integer } from "./schema.ts";

const stream = new ReadableStream();
const named = Object.assign(() => {}, { close: () => {} });
const VALUES = { null: null, undefined, no: "", text: "a", number: 7, list: [], object: {}, named, stream } as const;

test.each<[string, (needed: string) => Needed, readonly (keyof typeof VALUES)[]]>([
  ["a text that is not empty", aText, ["text"]],
  ["a function", aFunction, ["named"]],
  ["a list", aList, ["list"]],
  ["an object, which a function is too", anObject, ["list", "object", "named", "stream"]],
  ["an async iterable", anAsyncIterable, ["stream"]],
  ["an object with methods", (needed) => withMethods(["close"], needed), ["named"]],
  ["something or nothing", (needed) => ifGiven(aText(needed)), ["undefined", "text"]],
])("accepts %s and nothing else", (needed, of, fitting) => {
  const one = of(needed);
  expect(one.needed).toBe(needed);
  expect(Object.keys(VALUES).filter((name) => one.fits(VALUES[name as keyof typeof VALUES]))).toEqual(fitting);
});

test("checks an option by a schema, and describes the schema in the error", () => {
  const needed = { maxRounds: ifGiven(aValueOf(integer("", { minimum: 1 }))) };
  for (const maxRounds of [undefined, 1, 5]) checkOptions("run", { maxRounds }, needed);
  for (const maxRounds of [0, 1.5, "5", Number.NaN]) {
    const refused = refusalOf(() => checkOptions("run", { maxRounds }, needed));
    expect(refused).toMatchObject({ option: "run({ maxRounds })", value: maxRounds });
    expect(refused.message).toMatch(/it must be a whole number, at least 1\.$/);
  }
});

test("refuses invalid options with the names of the function and the option, and the value", () => {
  const needed = { store: anObject("a store"), id: ifGiven(aText("a name")) };
  checkOptions("open", { store: {} }, needed);
  for (const options of [null, undefined, "a", 7]) {
    const refused = refusalOf(() => checkOptions("open", options, needed));
    expect(refused).toMatchObject({ code: "invalid-option", value: options });
    expect(refused.option).toContain("open()");
    expect(refused.message).toContain("an object with store, id");
  }
  const refused = refusalOf(() => checkOptions("open", { store: {}, id: 7 }, needed));
  expect(refused).toMatchObject({ option: "open({ id })", value: 7 });
  expect(refused.message).toContain("a name");
});

function refusalOf(check: () => void): InvalidOptionError {
  try {
    check();
  } catch (error) {
    if (InvalidOptionError.isInstance(error)) return error as InvalidOptionError;
    throw error;
  }
  throw new Error("The options were not refused.");
}
