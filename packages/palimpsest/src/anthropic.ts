/** `palimpsest/anthropic`: Anthropic's Messages API as a provider. */

export type { AnthropicMessage, AnthropicRequest, AnthropicResponse } from "./providers/anthropic/facts.ts";
export { type AnthropicClient, type AnthropicOptions, anthropic } from "./providers/anthropic.ts";
