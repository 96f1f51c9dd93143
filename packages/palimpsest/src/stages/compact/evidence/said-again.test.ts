import { expect, test } from "vitest";
import { saidAgainShare } from "./said-again.ts";

test("a sentence is said again in other surroundings", () => {
  const decided = "I'll use a queue instead of polling for the mailer, since it is simpler.";
  expect(saidAgainShare(decided, "As decided, a queue instead of polling for the mailer comes first.")).toBeGreaterThan(
    0.4,
  );
  expect(saidAgainShare(decided, "A QUEUE - instead of polling, for the mailer")).toBeGreaterThan(0.4);
  expect(saidAgainShare(decided, "Polling the mailer is slow, so it is put off.")).toBeLessThan(0.2);
  expect(saidAgainShare(decided, decided)).toBe(1);
  expect(saidAgainShare("Go on.", "Go on.")).toBe(0);
});
