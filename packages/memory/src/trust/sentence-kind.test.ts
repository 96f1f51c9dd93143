import { expect, test } from "vitest";
import { kindOfSentence } from "./sentence-kind.ts";

test.each([
  ["We use pnpm in this repo.", "lasting"],
  ["I'm a data scientist.", "lasting"],
  ["Errors land in Sentry.", "lasting"],
  ["Rename the column.", "plain"],
  ["I'm stuck.", "plain"],
  ["Should we always squash?", "question"],
  ["My boss says we always squash.", "reported"],
  ["If we had time we would always squash.", "supposed"],
  ["I never said that we always squash.", "withdrawn"],
  ["Don't remember that I always squash.", "withdrawn"],
  ["For now always squash.", "passing"],
  ["Lass die Tests heute immer weg.", "passing"],
] as const)("%s is %s", (sentence, kind) => {
  expect(kindOfSentence(sentence)).toBe(kind);
});
