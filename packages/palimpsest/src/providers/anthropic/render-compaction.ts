import { asList, asObject, asString, type JsonObject } from "../../log/json-fields.ts";
import type { CompactionRequestOptions } from "../provider.ts";
import type { AnthropicRequest } from "./wire.ts";

/** Of a summary that was asked for, and of one that the service has made by itself at a threshold. */
const ON_DEMAND = "compact-2026-09-04";
const THRESHOLD = "compact-2026-01-12";

/**
 * The same conversation, to be summarized: the answer is one signed block. Without what only shapes an answer, which is
 * refused beside it. Undefined if the caller has the service compact at a threshold: it would make the summary, bill it, and
 * then refuse every request with it.
 */
export function renderCompaction(
  request: AnthropicRequest,
  { instructions }: CompactionRequestOptions = {},
): AnthropicRequest | undefined {
  const fields = request as AnthropicRequest & JsonObject;
  if (editsOf(fields).some(isCompaction) || fields["thread"] || fields["compaction"]) return undefined;
  // It is no turn of the conversation: there is nothing to compare it with.
  const { context_management: _, diagnostics: __, stop_sequences: ___, output_format: ____, ...kept } = fields;
  const { tool_choice: choice, output_config: output, ...rest } = kept as JsonObject;
  const { format: _____, ...shape } = asObject(output) ?? {};
  const isForced = ["any", "tool"].includes(String(asObject(choice)?.["type"]));
  return {
    ...rest,
    ...(choice === undefined || isForced ? {} : { tool_choice: choice }),
    ...(Object.keys(shape).length === 0 ? {} : { output_config: shape }),
    compaction: { type: "summarize", ...(instructions === undefined ? {} : { instructions }) },
    betas: withBeta(fields, ON_DEMAND),
  } as unknown as AnthropicRequest;
}

/**
 * A summary that stands first is taken only with the beta that it was made under. A signed one is not taken beside the
 * threshold: it holds, and the threshold has to wait.
 */
export function withCompactionFirst(request: JsonObject): JsonObject {
  const first = asObject(asList(asObject(asList(request["messages"])?.[0])?.["content"])?.[0]);
  if (first?.["type"] !== "compaction") return request;
  if (asString(first["signature"]) === undefined) return { ...request, betas: withBeta(request, THRESHOLD) };
  const { context_management: management, ...rest } = request;
  const edits = editsOf(request).filter((edit) => !isCompaction(edit));
  return {
    ...rest,
    ...(edits.length === 0 ? {} : { context_management: { ...asObject(management), edits } }),
    betas: withBeta(request, ON_DEMAND),
  };
}

function editsOf(request: JsonObject): readonly unknown[] {
  return asList(asObject(request["context_management"])?.["edits"]) ?? [];
}

function isCompaction(edit: unknown): boolean {
  return asString(asObject(edit)?.["type"])?.startsWith("compact_") ?? false;
}

function withBeta(request: JsonObject, beta: string): readonly unknown[] {
  return [...new Set([...(asList(request["betas"]) ?? []), beta])];
}
