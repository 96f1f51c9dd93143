import type { CacheEffects } from "../../log/cause.ts";

/**
 * What moves cached prompts of the Messages API beside tools, system prompt and messages: thinking, tool choice and effort
 * lose the messages, and so do images when the first comes or the last goes (the provider's caching guide).
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
