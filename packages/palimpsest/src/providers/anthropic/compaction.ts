// Renders requests for a compaction by the service, and completes requests that begin with its summary.

import { asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import type { CompactionRequestOptions } from "../provider.ts";
import type { AnthropicRequest } from "./facts.ts";

/**
 * Renders a request to summarize the same conversation; the answer is one signed block. Fields that only shape an
 * answer are removed, because the API refuses them here. Undefined if the caller's own parameters request a compaction:
 * the API would write and bill the summary, then refuse every request with it.
 */
export function renderCompaction(
  request: AnthropicRequest,
  { instructions }: CompactionRequestOptions = {},
): AnthropicRequest | undefined {
  const fields = request as AnthropicRequest & JsonObject;
  if (editsOf(fields).some(isCompaction) || fields["thread"] || fields["compaction"]) return undefined;
  // A compaction request has no previous request to compare with, so diagnostics are removed.
  const { context_management: _, diagnostics: __, stop_sequences: ___, output_format: ____, ...kept } = fields;
  const { tool_choice: choice, output_config: output, ...rest } = kept as JsonObject;
  const { format: _____, ...shape } = asObject(output) ?? {};
  const isForced = ["any", "tool"].includes(String(asObject(choice)?.["type"]));
  const compacting: object = {
    ...rest,
    ...(choice === undefined || isForced ? {} : { tool_choice: choice }),
    ...(Object.keys(shape).length === 0 ? {} : { output_config: shape }),
    compaction: { type: "summarize", instructions },
    betas: withBeta(fields, ON_DEMAND),
  };
  return compacting as AnthropicRequest;
}

/**
 * Adds the beta of the summary at the start of a request: the API accepts the summary only with the beta that produced
 * it. The API refuses a signed summary together with the caller's compaction threshold, so the threshold is removed.
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

/** The beta of a requested summary, which is signed. */
const ON_DEMAND = "compact-2026-09-04";

/** The beta of a summary that the service wrote at a threshold. */
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
