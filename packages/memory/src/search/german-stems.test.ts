import { expect, test } from "vitest";
import { isGerman } from "./function-words.ts";
import { germanStem, withGermanStems } from "./german-stems.ts";
import { readWords } from "./read-words.ts";

test.each([
  ["Termine", "Terminen"],
  ["Überweisung", "Überweisungen"],
  ["geloggt", "geloggte"],
])("%s and %s have one stem", (one, other) => {
  const [stem, otherStem] = readWords(`${one} ${other}`).map(germanStem);
  expect(stem).toBe(otherStem);
});

test("a stem is never taken for a word", () => {
  expect(readWords(germanStem("termin"))).not.toContain(germanStem("termin"));
});

test("function words have no stem in the index", () => {
  expect(withGermanStems(["der", "termine"])).toEqual(["der", "termine", germanStem("termine")]);
});

test.each([
  ["Wann ist der nächste Termin?", true],
  ["Kannst du das Deployment reviewen", true],
  ["when does the server die", false],
  ["was ist in so an app", true],
  ["lidar dusty", false],
  ["", false],
])("whether %j is German: %s", (text, expected) => {
  expect(isGerman(readWords(text))).toBe(expected);
});
