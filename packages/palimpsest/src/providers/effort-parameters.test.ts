import { createAnthropic, createGemini, geminiModels } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { ANTHROPIC_MODELS } from "./anthropic/facts.ts";
import { EFFORTS, effortParameters } from "./effort-parameters.ts";
import { GEMINI_MODELS } from "./gemini/facts.ts";
import { OPENAI_MODELS } from "./openai/facts.ts";

test("renders efforts that Anthropic accepts, for every model in the table", () => {
  const face = createAnthropic();
  for (const [model, facts] of Object.entries(ANTHROPIC_MODELS)) {
    for (const effort of EFFORTS) {
      const fields = effortParameters("anthropic", facts, effort) as { thinking: { budget_tokens?: number } };
      // `fitThinking` lowers a budget that is not smaller than the output limit.
      const budget = Math.min(fields.thinking.budget_tokens ?? 0, facts.maxOutputTokens - 1);
      const thinking = budget === 0 ? fields.thinking : { ...fields.thinking, budget_tokens: budget };
      const messages = [{ role: "user", content: [{ type: "text", text: "Hello." }] }];
      const judged = face.judge({ model, max_tokens: facts.maxOutputTokens, messages, ...fields, thinking });
      expect(judged, `${model} ${effort}`).toMatchObject({ kind: "accepted" });
    }
  }
});

test("renders efforts that Gemini accepts, for every model in the simulator", () => {
  const face = createGemini();
  const contents = [{ role: "user", parts: [{ text: "Hello." }] }];
  for (const [model, facts] of Object.entries(GEMINI_MODELS).filter(([name]) => Object.hasOwn(geminiModels, name))) {
    for (const effort of EFFORTS) {
      const generationConfig = effortParameters("gemini", facts, effort);
      expect(face.judge(model, { contents, generationConfig }), `${model} ${effort}`).toMatchObject({
        kind: "accepted",
      });
    }
  }
  const { "gemini-4-argon": argon, "gemini-2.5-flash": flash } = GEMINI_MODELS;
  expect(effortParameters("gemini", argon!, "xhigh")).toEqual({ thinkingConfig: { thinkingLevel: "high" } });
  expect(effortParameters("gemini", flash!, "low")).toEqual({ thinkingConfig: { thinkingBudget: 4_096 } });
  expect(effortParameters("gemini", flash!, "max")).toEqual({ thinkingConfig: { thinkingBudget: 24_576 } });
});

test("raises the budget with the effort, up to the output limit", () => {
  const budgets = EFFORTS.map((effort) =>
    effortParameters("anthropic", { effort: "budget", maxOutputTokens: 64_000 }, effort),
  );
  expect(budgets).toMatchObject(
    [4_000, 8_000, 16_000, 32_000, 64_000].map((budget_tokens) => ({ thinking: { type: "enabled", budget_tokens } })),
  );
  expect(effortParameters("anthropic", { effort: "budget", maxOutputTokens: 8_192 }, "low")).toMatchObject({
    thinking: { budget_tokens: 1_024 },
  });
});

test("uses the fields of each provider, and none for a model without effort", () => {
  const { "gpt-6-sol": sol, "gpt-4.1": old } = OPENAI_MODELS;
  expect(effortParameters("openai-responses", sol!, "high")).toEqual({ reasoning: { effort: "high" } });
  expect(effortParameters("openai-chat", sol!, "low")).toEqual({ reasoning_effort: "low" });
  expect(effortParameters("bedrock", ANTHROPIC_MODELS["claude-opus-5"]!, "max")).toEqual({
    additionalModelRequestFields: { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
  });
  expect(effortParameters("openai-responses", old!, "high")).toBeUndefined();
  expect(effortParameters("openai-chat", { maxOutputTokens: 8_192 }, "high")).toBeUndefined();
});
