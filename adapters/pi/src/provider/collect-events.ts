// Assembles an answer from the events of its stream.

import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import type { Collector, StreamPart } from "palimpsest/provider-parts";
import { readUsage } from "./read-response.ts";
import type { PiResponse } from "./wire.ts";

/** Returns the pieces of an answer in an event. */
export function shownBy(event: AssistantMessageEvent): readonly StreamPart[] {
  switch (event.type) {
    case "text_delta":
      return [{ kind: "text", text: event.delta }];
    case "thinking_delta":
      return [{ kind: "thinking", text: event.delta }];
    case "toolcall_start":
    case "toolcall_delta": {
      const call = event.partial.content[event.contentIndex];
      if (call?.type !== "toolCall") return [];
      const { id, name } = call;
      return [
        event.type === "toolcall_start"
          ? { kind: "tool_call", id, name }
          : { kind: "tool_input", id, text: event.delta },
      ];
    }
    case "done": {
      const { responseId = "", responseModel, model, usage } = event.message;
      return [{ kind: "report", responseId, model: responseModel ?? model, usage: readUsage(usage) }];
    }
    default:
      return [];
  }
}

/** Assembles an answer from the events of its stream. */
export function createEventCollector(
  toError: (failed: PiResponse) => unknown,
): Collector<AssistantMessageEvent, PiResponse> {
  let whole: PiResponse | undefined;
  return {
    add(event) {
      if (event.type === "error") throw toError(event.error);
      if (event.type === "done") whole = withId(event.message);
      return shownBy(event);
    },
    whole: () => whole,
  };
}

/** Adds an id if the service sent none, because the log identifies answers by id. */
export function withId(message: PiResponse): PiResponse {
  return message.responseId ? message : { ...message, responseId: crypto.randomUUID() };
}
