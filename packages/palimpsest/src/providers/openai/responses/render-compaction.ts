import { asList, asObject } from "../../../schema/json-fields.ts";
import type { CompactionRequestOptions } from "../../provider.ts";
import type { ResponsesItem, ResponsesRequest } from "../wire.ts";

/**
 * Renders the same conversation with a compaction trigger at its end; the service answers with one sealed item. The
 * endpoint `/responses/compact` would also return the user's messages, which we have, and cannot stream: a call that is
 * silent for minutes looks dead. Returns undefined if there are instructions for the summary: the service accepts none.
 */
export function renderCompaction(
  request: ResponsesRequest,
  { instructions }: CompactionRequestOptions = {},
): ResponsesRequest | undefined {
  if (instructions !== undefined) return undefined;
  // Without a response format and without a forced tool call: there is no answer.
  const { text, tool_choice: choice, context_management: _, ...rest } = request;
  const { format: __, ...shape } = asObject(text) ?? {};
  const input = [...((asList(request.input) as ResponsesItem[] | undefined) ?? []), { type: "compaction_trigger" }];
  return {
    ...rest,
    ...(Object.keys(shape).length === 0 ? {} : { text: shape }),
    ...(choice === undefined || typeof choice === "object" || choice === "required" ? {} : { tool_choice: choice }),
    input: input as ResponsesItem[],
  };
}
