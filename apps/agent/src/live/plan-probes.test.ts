import { expect, test } from "vitest";
import { offline } from "../cli/connect.ts";
import { termsByAsking, termsByTable } from "./find-terms.ts";
import { planProbes, whyTooDear } from "./plan-probes.ts";
import type { Terms } from "./probe.ts";
import { answerProbe } from "./probes/answer.ts";
import { cacheProbe } from "./probes/cache.ts";
import { overLongProbe } from "./probes/limits.ts";

const provider = await offline("anthropic");
const terms = (model: string): Terms => ({
  api: "anthropic",
  model,
  mark: "mark",
  ...termsByTable(provider.factsOf(model)),
});
const told = {
  finding: { check: "model", state: "ok", text: "", fields: {} } as const,
  told: { windowTokens: 1_000_000 },
};

test("what might cost more than was allowed is left out, unless the service itself has named its window", () => {
  const known = terms("claude-sonnet-5-5");
  // 1.1 million tokens written to the cache at 2.5 dollars a million.
  expect(whyTooDear(overLongProbe, known, 0.1)).toMatch(/up to \$2\.75: --max-usd 3/);
  expect(whyTooDear(overLongProbe, known, 3)).toBeUndefined();
  expect(whyTooDear(overLongProbe, { ...known, ...termsByAsking(known.facts, told) }, 0)).toBeUndefined();
  expect(whyTooDear(answerProbe, known, 0)).toBeUndefined();
  const { prices: _, ...unpriced } = known.facts;
  expect(whyTooDear(overLongProbe, { ...known, ...termsByTable(unpriced) }, 100)).toMatch(/a price that is not known/);
});

test("the price is that of the model; a second look at the same prompt is read from the cache", () => {
  const probes = [answerProbe, cacheProbe];
  const dear = planProbes(probes, terms("claude-opus-4-6"), 0).price!;
  const cheap = planProbes(probes, terms("claude-haiku-5-5"), 0).price!;
  expect(dear.likelyUsd).toBeGreaterThan(20 * cheap.likelyUsd);
  expect(dear.mostUsd).toBeGreaterThan(dear.likelyUsd);
  const [first, second] = cacheProbe.plan(terms("claude-opus-4-6"));
  expect(first!.inputTokens).toBe(second!.inputTokens);
  expect(dear.likelyUsd).toBeLessThan((2 * first!.inputTokens * 5 * 1.25) / 1e6);
  expect(planProbes(probes, terms("nobody-knows"), 0)).toEqual({ calls: 5 });
});
