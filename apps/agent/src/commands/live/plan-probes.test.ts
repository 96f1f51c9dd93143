import { expect, test } from "vitest";
import { offline } from "../connect.ts";
import { planProbes, whyTooExpensive } from "./plan-probes.ts";
import type { RequestLimits } from "./probe.ts";
import { answerProbe } from "./probes/answer.ts";
import { cacheProbe } from "./probes/cache.ts";
import { overLongProbe } from "./probes/limits.ts";
import { targetByAsking, targetByTable } from "./run-probes.ts";

const provider = await offline("anthropic");
const target = (model: string): RequestLimits => ({
  api: "anthropic",
  model,
  mark: "mark",
  ...targetByTable(provider.factsOf(model)),
});
const serviceFacts = {
  finding: { check: "model", state: "ok", text: "", fields: {} } as const,
  reported: { windowTokens: 1_000_000 },
};

test("skips a probe that may cost too much, unless the service reported its window", () => {
  const known = target("claude-sonnet-5-5");
  // 1.1 million tokens written to the cache, at 2.50 dollars per million.
  expect(whyTooExpensive(overLongProbe, known, 0.1)).toMatch(/up to \$2\.75: --max-usd 3/);
  expect(whyTooExpensive(overLongProbe, known, 3)).toBeUndefined();
  expect(whyTooExpensive(overLongProbe, { ...known, ...targetByAsking(known.facts, serviceFacts) }, 0)).toBeUndefined();
  expect(whyTooExpensive(answerProbe, known, 0)).toBeUndefined();
  const { prices: _, ...unpriced } = known.facts;
  expect(whyTooExpensive(overLongProbe, { ...known, ...targetByTable(unpriced) }, 100)).toMatch(
    /a price that is not known/,
  );
});

test("uses the model's prices, and expects the second prompt in the cache", () => {
  const probes = [answerProbe, cacheProbe];
  const dear = planProbes(probes, target("claude-opus-4-6"), 0).price!;
  const cheap = planProbes(probes, target("claude-haiku-5-5"), 0).price!;
  expect(dear.likelyUsd).toBeGreaterThan(20 * cheap.likelyUsd);
  expect(dear.mostUsd).toBeGreaterThan(dear.likelyUsd);
  const [first, second] = cacheProbe.plan(target("claude-opus-4-6"));
  expect(first!.inputTokens).toBe(second!.inputTokens);
  expect(dear.likelyUsd).toBeLessThan((2 * first!.inputTokens * 5 * 1.25) / 1e6);
  expect(planProbes(probes, target("nobody-knows"), 0)).toEqual({ calls: 5 });
});
