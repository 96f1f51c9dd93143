import type { AnthropicModel, ThinkingType } from "./models.ts";

const SUPPORTED = { supported: true } as const;
const THINKING_TYPES: readonly ThinkingType[] = ["adaptive", "enabled", "disabled", "between_tools"];

/** A model as the Models API describes it: every known capability is there, supported or not. */
export function toModelInfo(model: AnthropicModel): Readonly<Record<string, unknown>> {
  return {
    type: "model",
    id: model.datedId ?? model.id,
    display_name: model.id,
    created_at: "1970-01-01T00:00:00Z",
    deprecated_at: null,
    retires_at: null,
    lifecycle: "active",
    line: model.line,
    max_input_tokens: model.windowTokens,
    max_tokens: model.maxOutputTokens,
    capabilities: {
      batch: SUPPORTED,
      citations: SUPPORTED,
      code_execution: SUPPORTED,
      compaction: { ...SUPPORTED, summarize: SUPPORTED },
      context_management: {
        ...SUPPORTED,
        clear_thinking_20251015: SUPPORTED,
        clear_tool_uses_20250919: SUPPORTED,
        compact_20260112: SUPPORTED,
      },
      effort: {
        ...SUPPORTED,
        low: SUPPORTED,
        medium: SUPPORTED,
        high: SUPPORTED,
        xhigh: SUPPORTED,
        max: SUPPORTED,
      },
      image_input: SUPPORTED,
      pdf_input: SUPPORTED,
      server_tools: { ...SUPPORTED, code_execution: SUPPORTED, web_search: SUPPORTED },
      structured_outputs: SUPPORTED,
      thinking: {
        ...SUPPORTED,
        types: Object.fromEntries(
          THINKING_TYPES.map((type) => [type, { supported: model.thinkingTypes.includes(type) }]),
        ),
      },
    },
  };
}
