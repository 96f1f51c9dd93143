import { asList, asObject } from "../../../log/json-fields.ts";
import type { CompactionRequestOptions } from "../../provider.ts";
import type { ResponsesItem, ResponsesRequest } from "../wire.ts";

/**
 * The same conversation with a trigger at its end, which the service answers with one sealed item. The page for it
 * (`/responses/compact`) would also return what the user has said, which we have, and cannot be streamed: a call of which
 * nothing is heard for minutes looks like a dead one. Undefined where it is told what to heed: the service takes no such words.
 */
export function renderCompaction(
  request: ResponsesRequest,
  { instructions }: CompactionRequestOptions = {},
): ResponsesRequest | undefined {
  if (instructions !== undefined) return undefined;
  // Neither a form for the answer, nor a tool that must be called: there is no answer.
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
