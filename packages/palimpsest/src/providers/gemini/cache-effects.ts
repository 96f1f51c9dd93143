import type { CacheEffects } from "../../log/cause.ts";

const NOTHING = [
  ...["temperature", "topP", "topK", "candidateCount", "stopSequences", "presencePenalty", "frequencyPenalty", "seed"],
  ...["responseLogprobs", "logprobs", "safetySettings", "labels", "httpOptions", "serviceTier", "store"],
];

/** The caching guide names only the beginning of the prompt. Settings that may be rendered into it are taken as if they were. */
export const GEMINI_CACHE_EFFECTS: CacheEffects = {
  parameters: {
    ...Object.fromEntries(NOTHING.map((name) => [name, "nothing" as const])),
    thinkingConfig: "thinking",
    toolConfig: "tool-choice",
  },
  images: "nothing",
};
