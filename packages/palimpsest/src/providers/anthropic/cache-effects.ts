import type { CacheEffects } from "../../log/cause.ts";

/**
 * Settings that invalidate cached prompts of the Messages API, beside tools, system prompt and messages. Thinking, tool
 * choice and effort invalidate the messages. So do images, when the first is added or the last removed (the provider's
 * caching guide).
 */
export const ANTHROPIC_CACHE_EFFECTS: CacheEffects = {
  parameters: {
    thinking: "thinking",
    output_config: "effort",
    tool_choice: "tool-choice",
    betas: "betas",
    context_management: "provider-edits",
    cache_control: "nothing",
    container: "nothing",
    metadata: "nothing",
    service_tier: "nothing",
    stop_sequences: "nothing",
    stream: "nothing",
    temperature: "nothing",
    top_k: "nothing",
    top_p: "nothing",
  },
  images: "messages",
};
