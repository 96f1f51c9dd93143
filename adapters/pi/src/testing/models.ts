// Models of pi at a simulated service, for tests.

import { ANTHROPIC_MODELS, openAiModels } from "@palimpsest/provider-simulator";
import type { PiModel } from "../provider/wire.ts";

export const CLAUDE = "claude-opus-5-5";
export const GPT = "gpt-5.2";

/** Creates a model of pi at a simulated service, with the given window. */
export function claude(
  url: string,
  windowTokens: number = ANTHROPIC_MODELS.find(({ id }) => id === CLAUDE)!.windowTokens,
): PiModel {
  return {
    ...shared(CLAUDE, windowTokens),
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: url,
    compat: { forceAdaptiveThinking: true },
  };
}

export function gpt(url: string): PiModel {
  const { windowTokens } = openAiModels[GPT]!;
  return { ...shared(GPT, windowTokens), api: "openai-responses", provider: "openai", baseUrl: `${url}/v1` };
}

function shared(id: string, contextWindow: number) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    id,
    name: id,
    reasoning: true,
    input: ["text" as const, "image" as const],
    cost,
    contextWindow,
    maxTokens: 8_000,
  };
}
