import type { CacheEffects } from "../../log/cause.ts";

const NOTHING = [
  ...["frequency_penalty", "include", "max_tool_calls", "metadata", "parallel_tool_calls", "presence_penalty", "seed"],
  ...[
    "safety_identifier",
    "stop",
    "store",
    "stream_options",
    "temperature",
    "tool_choice",
    "top_p",
    "truncation",
    "user",
  ],
];

/**
 * Settings that change cached prompts of OpenAI, beside tools, system prompt and messages. According to the reasons in
 * its cache diagnostics: effort, text format and length, cache key and service tier.
 */
export const OPENAI_CACHE_EFFECTS: CacheEffects = {
  parameters: {
    ...Object.fromEntries(NOTHING.map((name) => [name, "nothing" as const])),
    reasoning: "effort",
    reasoning_effort: "effort",
  },
  images: "nothing",
};
