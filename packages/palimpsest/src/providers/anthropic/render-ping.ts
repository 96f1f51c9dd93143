import { asObject } from "../../log/json-fields.ts";
import type { AnthropicRequest } from "./wire.ts";

/**
 * The same prompt without an answer: the API reads it into the cache and says nothing (`max_tokens: 0`). Undefined where it
 * refuses that: with thinking that has a budget, with an output format, with a tool that must be called, and where the call
 * is a compaction. Switching those off instead would make it another prompt.
 */
export function renderPing(request: AnthropicRequest): AnthropicRequest | undefined {
  // A ping is no turn of the conversation: there is nothing to compare it with.
  const { stream: _, diagnostics: __, ...prompt } = request as AnthropicRequest & Record<string, unknown>;
  const typeOf = (field: string): unknown => asObject(prompt[field])?.["type"];
  const isRefused =
    typeOf("thinking") === "enabled" ||
    ["any", "tool"].includes(String(typeOf("tool_choice"))) ||
    (asObject(prompt["output_config"])?.["format"] ?? undefined) !== undefined ||
    (prompt["compaction"] ?? undefined) !== undefined;
  return isRefused ? undefined : ({ ...prompt, max_tokens: 0 } as unknown as AnthropicRequest);
}
