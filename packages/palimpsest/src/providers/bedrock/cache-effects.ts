import type { CacheEffects } from "../../log/cause.ts";

/** As for the model's own host. Thinking, effort and betas are fields of the model (`additionalModelRequestFields`). */
export const BEDROCK_CACHE_EFFECTS: CacheEffects = {
  parameters: {
    additionalModelRequestFields: "thinking",
    toolConfig: "tool-choice",
    additionalModelResponseFieldPaths: "nothing",
    guardrailConfig: "nothing",
    inferenceConfig: "nothing",
    performanceConfig: "nothing",
    requestMetadata: "nothing",
    serviceTier: "nothing",
  },
  images: "messages",
};
