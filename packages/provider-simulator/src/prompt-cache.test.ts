import { expect, test } from "vitest";
import { manualClock } from "./clock.ts";
import { PromptCache } from "./prompt-cache.ts";

const MINUTE_MS = 60_000;

test("an entry lives for its lifetime and not a millisecond longer", () => {
  const clock = manualClock();
  const cache = new PromptCache(clock);
  cache.write("a", 5 * MINUTE_MS);
  clock.advance(5 * MINUTE_MS - 1);
  expect(cache.has("a")).toBe(true);
  clock.advance(1);
  expect(cache.has("a")).toBe(false);
});

test("a read starts the lifetime again, but does not wake the dead", () => {
  const clock = manualClock();
  const cache = new PromptCache(clock);
  cache.write("a", 5 * MINUTE_MS);
  clock.advance(4 * MINUTE_MS);
  cache.refresh("a");
  clock.advance(4 * MINUTE_MS);
  expect(cache.has("a")).toBe(true);
  clock.advance(2 * MINUTE_MS);
  cache.refresh("a");
  expect(cache.has("a")).toBe(false);
});

test("writing a living entry again never shortens its lifetime", () => {
  const clock = manualClock();
  const cache = new PromptCache(clock);
  cache.write("a", 60 * MINUTE_MS);
  cache.write("a", 5 * MINUTE_MS);
  clock.advance(30 * MINUTE_MS);
  expect(cache.has("a")).toBe(true);
});

test("dead entries do not pile up", () => {
  const clock = manualClock();
  const cache = new PromptCache(clock);
  for (let index = 0; index < 20_000; index++) {
    cache.write(`entry ${index}`, MINUTE_MS);
    clock.advance(1_000);
  }
  expect(cache.size).toBeLessThan(2_000);
});

test("what still lives is kept when the dead are swept out", () => {
  const clock = manualClock();
  const cache = new PromptCache(clock);
  cache.write("long", 60 * MINUTE_MS);
  for (let index = 0; index < 3_000; index++) cache.write(`entry ${index}`, MINUTE_MS);
  expect(cache.has("long")).toBe(true);
  expect(cache.size).toBe(3_001);
});
