import type { NextRequestCost } from "palimpsest";
import { expect, test } from "vitest";
import { textOf } from "../text/line.ts";
import { resumeOffer } from "./resume-offer.ts";

const COLD: NextRequestCost = {
  inputTokens: 100_000,
  cachedTokens: 100_000,
  cache: "cold",
  coldAtMs: 0,
  warmUsd: 0.03,
  coldUsd: 0.375,
  pauseUsd: 0.345,
};
const HOUR_MS = 3_600_000;

test("it asks only where a cold cache costs something, and says how much", () => {
  const offer = resumeOffer(COLD, 3 * HOUR_MS);
  expect(offer?.title).toBe("The prompt cache expired 3 h ago");
  expect(offer?.body.map(textOf).join()).toContain(
    "costs $0.3750 for 100,000 tokens, $0.3450 more than with a warm cache",
  );
  expect(resumeOffer({ ...COLD, cache: "warm" }, 0)).toBeUndefined();
  expect(resumeOffer({ ...COLD, pauseUsd: 0.01 }, HOUR_MS)).toBeUndefined();
});
