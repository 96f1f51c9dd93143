import fc from "fast-check";
import { expect, test } from "vitest";
import { rootOf, stemOf } from "./stem.ts";

test.each([
  ["retry", "retries", "retried"],
  ["cache", "caches", "caching", "cached"],
  ["run", "running"],
  ["query", "queries"],
  ["branch", "branches"],
  ["process", "processes"],
  ["verbindung", "verbindungen"],
  ["tabelle", "tabellen"],
  ["speicher", "speichern"],
])("forms of one word have one stem: %s", (...words) => {
  expect(new Set(words.map(stemOf)).size).toBe(1);
});

test.each([
  ["migrate", "migration"],
  ["deploy", "deployment"],
  ["validate", "validation", "validator"],
  ["bestellen", "bestellung"],
  ["approve", "approval"],
])("words of one family have one root: %s", (...words) => {
  expect(new Set(words.map((word) => rootOf(stemOf(word)))).size).toBe(1);
});

test.each([
  ["user", "use"],
  ["string", "str"],
  ["status", "state"],
  ["access", "acces"],
  ["number", "numb"],
])("%s and %s stay apart", (one, other) => {
  expect(stemOf(one)).not.toBe(stemOf(other));
});

test("what is no word of letters stays as it is", () => {
  for (const word of ["k8s", "0x180", "数据", "§20250314"]) expect(rootOf(stemOf(word))).toBe(word);
});

test("a stem and a root begin as the word does, but for its last letter, and are never empty", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,12}$/), (word) => {
      for (const short of [stemOf(word), rootOf(stemOf(word))]) {
        expect(short.length).toBeGreaterThan(0);
        expect(word.startsWith(short.slice(0, -1))).toBe(true);
      }
    }),
  );
});
