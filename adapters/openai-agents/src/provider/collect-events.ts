// Assembles an answer from the events of its stream.

import type { Collector, StreamPart } from "palimpsest/provider-parts";
import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { readResponse } from "./read-response.ts";
import type { AgentsResponse } from "./wire.ts";

/** Assembles an answer from the events of its stream. */
export function createEventCollector(model: string): Collector<unknown, AgentsResponse> {
  let whole: AgentsResponse | undefined;
  // The SDK ends a cut stream of the Chat API with an answer. Only the service's own chunks show that the stream was cut.
  let chunks: "none" | "open" | { readonly finish_reason: string } = "none";
  return {
    add(event) {
      const { type, event: chunk, response } = asObject(event) ?? {};
      const choices = asList(asObject(chunk)?.["choices"]);
      if (type === "model" && choices !== undefined && typeof chunks === "string") {
        const reason = choices.map((choice) => asString(asObject(choice)?.["finish_reason"])).find(Boolean);
        chunks = reason === undefined ? "open" : { finish_reason: reason };
      }
      if (type !== "response_done" || chunks === "open") return shownBy(event);
      const ending = chunks === "none" ? {} : { providerData: { choices: [chunks] } };
      whole ??= toResponse({ ...ending, ...asObject(response) }, model);
      const { responseId, model: answered, blocks, usage } = readResponse(whole);
      const calls = blocks.flatMap((block): readonly StreamPart[] =>
        block.kind === "tool_call" ? [{ kind: "tool_call", id: block.id, name: block.name }] : [],
      );
      return [...calls, { kind: "report", responseId, model: answered, usage }];
    },
    whole: () => whole,
  };
}

function toResponse({ id, output, usage, providerData }: JsonObject, model: string): AgentsResponse {
  return { responseId: id, output, usage, providerData, model } as unknown as AgentsResponse;
}

/** Returns the pieces of an answer in an event. Calls arrive whole, because the SDK has no events for their pieces. */
function shownBy(event: unknown): readonly StreamPart[] {
  const { type, delta } = asObject(event) ?? {};
  const text = asString(delta) ?? "";
  return type === "output_text_delta" && text !== "" ? [{ kind: "text", text }] : [];
}
