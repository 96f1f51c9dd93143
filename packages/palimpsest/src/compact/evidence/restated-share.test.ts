import { expect, test } from "vitest";
import { restatedShare } from "./evidence.ts";

test("a sentence is said again in other surroundings", () => {
  const decided = "I'll use a queue instead of polling for the mailer, since it is simpler.";
  expect(restatedShare(decided, "As decided, a queue instead of polling for the mailer comes first.")).toBeGreaterThan(
    0.4,
  );
  expect(restatedShare(decided, "A QUEUE - instead of polling, for the mailer")).toBeGreaterThan(0.4);
  expect(restatedShare(decided, "Polling the mailer is slow, so it is put off.")).toBeLessThan(0.2);
  expect(restatedShare(decided, decided)).toBe(1);
  expect(restatedShare("Go on.", "Go on.")).toBe(0);
});
