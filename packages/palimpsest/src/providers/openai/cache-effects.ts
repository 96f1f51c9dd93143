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
 * What moves cached prompts of OpenAI beside tools, system prompt and messages: going by the reasons that its cache
 * diagnostics know, the effort, the format and length of the text, the cache key and the service tier.
 */
export const OPENAI_CACHE_EFFECTS: CacheEffects = {
  parameters: {
    ...Object.fromEntries(NOTHING.map((name) => [name, "nothing" as const])),
    reasoning: "effort",
    reasoning_effort: "effort",
  },
  images: "nothing",
};
