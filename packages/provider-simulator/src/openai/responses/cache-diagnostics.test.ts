import { expect, test } from "vitest";
import { digestText } from "../../digest.ts";
import { Prefix } from "../../prefix.ts";
import { diagnoseCache, fingerprintSettings } from "./cache-diagnostics.ts";
import type { Fingerprint } from "./responses-memory.ts";

function fingerprint(request: object, ...blocks: string[]): Fingerprint {
  const prefix = new Prefix();
  for (const block of blocks) prefix.append(digestText(block), 100);
  return { settings: fingerprintSettings(request as Record<string, unknown>), prefix, compacted: "whole" };
}
const outcome = { blocksRead: 1, blocksTotal: 2, tokensRead: 100, tokensWritten: 100 };
const diagnose = (now: Fingerprint, compared: Fingerprint, tokensRead = 100) =>
  diagnoseCache({ ...now, outcome: { ...outcome, tokensRead } }, compared);

test("7.2 a prompt that only grew hits, if anything was read at all", () => {
  expect(diagnose(fingerprint({}, "a", "b"), fingerprint({}, "a"))).toEqual({ type: "cache_hit" });
  expect(diagnose(fingerprint({}, "a", "b"), fingerprint({}, "a"), 0)).toEqual({ type: "unavailable" });
});

test("7.2 what both prompts begin with could have been read, unless a setting lost it", () => {
  const missed = { type: "cache_miss", cache_missed_tokens: 100, comparison_reusable_tokens: 100 };
  expect(diagnose(fingerprint({}, "a", "b"), fingerprint({}, "a", "c"))).toEqual({
    ...missed,
    reason: "input_changed",
  });
  const compacted = { ...fingerprint({}, "a", "b"), compacted: "compacted" } as const;
  expect(diagnose(compacted, fingerprint({}, "a", "c"))).toEqual({ ...missed, reason: "context_compacted" });
  const tools = [{ type: "function", name: "read" }];
  expect(diagnose(fingerprint({ tools }, "a", "b"), fingerprint({}, "a", "c"))).toEqual({
    type: "cache_miss",
    reason: "tools_changed",
    cache_missed_tokens: 200,
    comparison_reusable_tokens: 0,
  });
});

test.each<[string, object]>([
  ["model_changed", { model: "other" }],
  ["prompt_cache_key_changed", { prompt_cache_key: "k" }],
  ["service_tier_changed", { service_tier: "flex" }],
  ["tools_changed", { tools: [{}] }],
  ["text_format_changed", { text: { format: { type: "json_object" } } }],
  ["reasoning_effort_changed", { reasoning: { effort: "low" } }],
  ["verbosity_changed", { text: { verbosity: "low" } }],
])("7.2 the reason is %s", (reason, change) => {
  expect(diagnose(fingerprint(change, "a"), fingerprint({}, "a"))).toMatchObject({ type: "cache_miss", reason });
});
