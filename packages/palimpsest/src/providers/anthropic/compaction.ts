// Requests that make the service compact a conversation, and requests that begin with such a summary.

import { asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import type { CompactionRequestOptions } from "../provider.ts";
import type { AnthropicRequest } from "./facts.ts";

/**
 * Renders a request to summarize the same conversation; the answer is one signed block. Fields that only shape an
 * answer are removed, since the API refuses them here. Undefined if the caller has the service compact at a threshold:
 * the API would make and bill the summary, then refuse every request with it.
 */
export function renderCompaction(
  request: AnthropicRequest,
  { instructions }: CompactionRequestOptions = {},
): AnthropicRequest | undefined {
  const fields = request as AnthropicRequest & JsonObject;
  if (editsOf(fields).some(isCompaction) || fields["thread"] || fields["compaction"]) return undefined;
  // A compaction is not a turn of the conversation, so there is nothing to compare it with.
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
 * Adds the beta under which a leading summary was made: the API accepts the summary only with it. A signed summary is
 * refused together with the caller's threshold, so the threshold is removed.
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

/** Betas of a requested summary, and of one that the service made itself at a threshold. */
const ON_DEMAND = "compact-2026-09-04";

const THRESHOLD = "compact-2026-01-12";

function editsOf(request: JsonObject): readonly unknown[] {
  return asList(asObject(request["context_management"])?.["edits"]) ?? [];
}

function isCompaction(edit: unknown): boolean {
  return asString(asObject(edit)?.["type"])?.startsWith("compact_") ?? false;
}

function withBeta(request: JsonObject, beta: string): readonly unknown[] {
  return [...new Set([...(asList(request["betas"]) ?? []), beta])];
}
