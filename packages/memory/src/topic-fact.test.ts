import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "./limits.ts";
import { factOfTopic, textOfTopic, withFact } from "./topic-fact.ts";

const FACT = "Use pnpm, never npm.";
const TOPIC = { description: FACT, body: `${FACT}\n\nWhy: the lock file is pnpm's.` };

test("a fact is said once: a description that repeats it, or begins it, is left out", () => {
  expect(textOfTopic(TOPIC)).toBe(TOPIC.body);
  expect(textOfTopic({ ...TOPIC, description: "Use pnpm, ne…" })).toBe(TOPIC.body);
  expect(textOfTopic({ ...TOPIC, description: "Package managers" })).toBe(`Package managers\n${TOPIC.body}`);
});

test("another fact keeps the reasons below it, and a long one is cut in the index only", () => {
  expect(withFact(TOPIC, "Use bun.")).toEqual({
    description: "Use bun.",
    body: "Use bun.\n\nWhy: the lock file is pnpm's.",
  });
  const long = withFact({ description: "x", body: "x" }, "word ".repeat(100).trim());
  expect(long.body).toHaveLength(499);
  expect(long.description.length).toBeLessThanOrEqual(DEFAULT_LIMITS.descriptionCharacters);
  expect(long.description).toMatch(/…$/);
  expect(factOfTopic(long)).toBe(long.body);
});
