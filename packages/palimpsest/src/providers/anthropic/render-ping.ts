import { asObject } from "../../schema/json-fields.ts";
import type { AnthropicRequest } from "./wire.ts";

/**
 * Renders the same prompt without an answer: the API reads it into the cache and writes nothing (`max_tokens: 0`).
 * Undefined if the API would refuse it: with a thinking budget, an output format, a forced tool call, or in a
 * compaction. Turning those off would change the prompt.
 */
export function renderPing(request: AnthropicRequest): AnthropicRequest | undefined {
  // A ping is not a turn of the conversation, so there is nothing to compare it with.
  const { stream: _, diagnostics: __, ...prompt } = request as AnthropicRequest & Record<string, unknown>;
  const typeOf = (field: string): unknown => asObject(prompt[field])?.["type"];
  const isRefused =
    typeOf("thinking") === "enabled" ||
    ["any", "tool"].includes(String(typeOf("tool_choice"))) ||
    (asObject(prompt["output_config"])?.["format"] ?? undefined) !== undefined ||
    (prompt["compaction"] ?? undefined) !== undefined;
  return isRefused ? undefined : ({ ...prompt, max_tokens: 0 } as unknown as AnthropicRequest);
}
