import type { ProviderEdits } from "../../log/provider-edits.ts";
import { asList, asObject, type JsonObject } from "../../schema/json-fields.ts";
import type { RequestParts } from "../provider.ts";
import type { AnthropicMessage } from "./wire.ts";

const BETA = "context-management-2025-06-27";

/** Fields that the API refuses together with our edits: the caller's own edits, a summary on demand, a thread. */
const EXCLUDES_EDITS = ["context_management", "compaction", "thread"] as const;

/**
 * Whether our edits may be added. A caller who manages the context in the parameters keeps control: a request never has
 * two lists of edits.
 */
export function takesEdits(parameters: Readonly<Record<string, unknown>>): "yes" | "no" {
  return EXCLUDES_EDITS.some((field) => parameters[field] !== undefined && parameters[field] !== null) ? "no" : "yes";
}

/** Renders edits as request fields, with the beta that they need; empty if the request may not ask for edits. */
export function renderEdits(
  { edits, parameters }: Pick<RequestParts<AnthropicMessage>, "edits" | "parameters">,
  thinking: unknown,
): { readonly betas?: readonly unknown[]; readonly context_management?: JsonObject } {
  if (edits === undefined || takesEdits(parameters) === "no") return {};
  const betas = [...new Set([...(asList(parameters["betas"]) ?? []), BETA])];
  // The API requires the thinking edit to come first.
  return { betas, context_management: { edits: [...clearThinking(edits, thinking), clearResults(edits)] } };
}

/** The API refuses this edit in a request that does not turn thinking on. */
function clearThinking({ thinking: kept }: ProviderEdits, thinking: unknown): JsonObject[] {
  const type = asObject(thinking)?.["type"];
  if (type === undefined || type === "disabled") return [];
  const keep = kept === "all" ? "all" : { type: "thinking_turns", value: kept.turns };
  return [{ type: "clear_thinking_20251015", keep }];
}

function clearResults({ results }: ProviderEdits): JsonObject {
  const { aboveTokens, minimumTokens, keepNewest, keptTools, inputsOf } = results;
  return {
    type: "clear_tool_uses_20250919",
    trigger: { type: "input_tokens", value: aboveTokens },
    keep: { type: "tool_uses", value: keepNewest },
    clear_at_least: { type: "input_tokens", value: minimumTokens },
    ...(keptTools.length === 0 ? {} : { exclude_tools: keptTools }),
    ...(inputsOf.length === 0 ? {} : { clear_tool_inputs: inputsOf }),
  };
}
