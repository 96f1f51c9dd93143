import type OpenAI from "openai";
import { TOOL_SEARCH } from "../../../log/block.ts";
import type { Collector } from "../../stream.ts";
import type { ResponsesResponse } from "../facts.ts";

/** Assembles a response from the events of its stream. */
export function createStreamCollector(): Collector<OpenAI.Responses.ResponseStreamEvent, ResponsesResponse> {
  const callIds = new Map<number, string>();
  const items: OpenAI.Responses.ResponseOutputItem[] = [];
  let response: ResponsesResponse | undefined;
  return {
    add(event) {
      switch (event.type) {
        case "response.created":
          return [{ kind: "report", responseId: event.response.id, model: event.response.model }];
        case "response.output_text.delta":
        case "response.refusal.delta":
          return [{ kind: "text", text: event.delta }];
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          return [{ kind: "thinking", text: event.delta }];
        case "response.output_item.added":
          if (event.item.type === "tool_search_call" && event.item.execution === "client") {
            return [{ kind: "tool_call", id: event.item.call_id ?? "", name: TOOL_SEARCH }];
          }
          if (event.item.type !== "function_call") return [];
          callIds.set(event.output_index, event.item.call_id);
          return [{ kind: "tool_call", id: event.item.call_id, name: event.item.name }];
        case "response.function_call_arguments.delta":
          return [{ kind: "tool_input", id: callIds.get(event.output_index) ?? "", text: event.delta }];
        case "response.output_item.done":
          items[event.output_index] = event.item;
          return [];
        case "response.completed":
        case "response.incomplete":
          // Some servers stream every item and then send an empty list at the end.
          response = event.response.output?.length
            ? event.response
            : { ...event.response, output: items.filter(Boolean) };
          return [];
        case "response.failed":
          // The client does not throw for this event.
          throw Object.assign(new Error(event.response.error?.message ?? "the response failed"), {
            error: event.response.error,
          });
        default:
          return [];
      }
    },
    whole: () => response,
  };
}
