import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createRandom } from "../random.ts";
import { createMaterial, materialVersions } from "./material.ts";

const partsOf = (seed: string, count: number) => {
  const material = createMaterial(createRandom(seed));
  return Array.from({ length: count }, () => material.part());
};

test("the packages are installed in the versions that lab/package.json pins", () => {
  const { devDependencies } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  for (const version of materialVersions()) {
    const [name, number] = version.split("@") as [string, string];
    expect(devDependencies[name]).toBe(number);
  }
});

test("depends on the seed alone, and repeats nothing within ten windows of 100,000 tokens", () => {
  expect(partsOf("one", 20)).toEqual(partsOf("one", 20));
  expect(partsOf("one", 20)).not.toEqual(partsOf("two", 20));
  const parts = partsOf("ten windows", 720);
  expect(new Set(parts).size).toBe(720);
  expect(parts.join("").length).toBeGreaterThan(10 * 100_000 * 3.5);
});

test("holds code, tables, changelogs and other human languages", () => {
  const all = partsOf("kinds", 900).join("\n");
  for (const sign of [
    /^export (?:class|function) /m,
    /^#include|^#define /m,
    /^\|.*\|$/m,
    /\p{Script=Han}{4}/u,
    /Januar_Februar/,
  ])
    expect(all).toMatch(sign);
});

test("says whole sentences, each once", () => {
  const sentences = createMaterial(createRandom("prose")).prose(100_000);
  expect(new Set(sentences).size).toBe(sentences.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^[\p{Lu}`].{38,238}[.!?]$/u);
});
