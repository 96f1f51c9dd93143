import fc from "fast-check";
import { expect, test } from "vitest";
import { freeSlug, isSlug, slugOf } from "./slug.ts";

test.each([
  ["Deploys go to Frankfurt", "deploys-go-to-frankfurt"],
  ["  Übergrößen & Ärger!  ", "ubergrossen-arger"],
  ["feedback_testing", "feedback-testing"],
])("%s", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test.each(["---", "東京", "Memory", "NUL"])("%s has no letters of its own to take", (name) => {
  expect(slugOf(name)).toMatch(/^topic-[0-9a-f]{8}$/);
});

test("every name has a slug, and always the same", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0x10_ff_ff })), (points) => {
      const name = String.fromCodePoint(...points);
      expect(isSlug(slugOf(name))).toBe(true);
      expect(slugOf(name)).toBe(slugOf(name));
    }),
  );
});

test.each(["", ".", "..", "a/b", "../a", "a.md", "A", "a b", "a\n", "memory", "con", "a\0", "é", "x".repeat(65)])(
  "%j is no slug",
  (text) => {
    expect(isSlug(text)).toBe(false);
  },
);

test("a slug that is taken gets a number, and stays one", () => {
  const long = "x".repeat(64);
  expect(freeSlug("a", () => false)).toBe("a");
  expect(freeSlug("a", (slug) => ["a", "a-2"].includes(slug))).toBe("a-3");
  expect(freeSlug(long, (slug) => slug === long)).toBe(`${"x".repeat(62)}-2`);
});
