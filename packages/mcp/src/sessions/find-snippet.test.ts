import { readQuery } from "palimpsest/store-parts";
import { expect, test } from "vitest";
import { findSnippet } from "./find-snippet.ts";

const find = (text: string, words: string) => findSnippet(text, readQuery(words));

test("words are found wherever they stand, also across the places where a long text is cut", async () => {
  for (const at of [0, 64_500, 65_530, 130_000, 199_990]) {
    const text = `${"x ".repeat(at / 2)}blue Größe green ${"y ".repeat(1_000)}`;
    expect(await find(text, '"blue grosse"'), String(at)).toBeUndefined();
    expect(await find(text, '"blue größe" green'), String(at)).toContain("blue Größe green");
  }
});

test("all words must be there", async () => {
  expect(await find("one two", "one three")).toBeUndefined();
  expect(await find("", "one")).toBeUndefined();
  expect(await find("One, two", "two ONE")).toBe("One, two");
});
