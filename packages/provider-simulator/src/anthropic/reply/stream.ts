import type { ServerSentEvent } from "../../http-face.ts";
import { inPieces } from "../../in-pieces.ts";
import type { Block } from "../request.ts";
import type { AnthropicMessage } from "./message.ts";

export interface StreamOptions {
  /** Sent for a call's input instead of its JSON: a misbehaving model's own bytes. */
  readonly rawInputs: ReadonlyMap<string, string>;
}

/** A finished message as the events that would have carried it, in the provider's order. */
export function toEvents(message: AnthropicMessage, { rawInputs }: StreamOptions): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const send = (type: string, fields: Record<string, unknown>): void => {
    events.push({ event: type, data: JSON.stringify({ type, ...fields }) });
  };
  const { usage, stop_reason, stop_sequence, stop_details, container, context_management, ...rest } = message;
  const output_tokens = Math.min(1, usage.output_tokens);
  const usageAtStart = {
    ...usage,
    output_tokens,
    output_tokens_details: null,
    iterations: usage.iterations.map((iteration) => ({ ...iteration, output_tokens })),
  };
  send("message_start", {
    message: {
      ...rest,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container,
      usage: usageAtStart,
      // What was edited is told at the end; the field itself is there from the start.
      context_management: context_management === undefined ? undefined : null,
    },
  });
  send("ping", {});
  for (const [index, block] of message.content.entries()) {
    const { start, deltas } = toDeltas(block, rawInputs);
    send("content_block_start", { index, content_block: start });
    for (const delta of deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason, stop_sequence, stop_details, container },
    usage,
    context_management,
  });
  send("message_stop", {});
  return events;
}

function toDeltas(
  block: Block,
  rawInputs: ReadonlyMap<string, string>,
): { start: Block; deltas: Record<string, unknown>[] } {
  switch (block.type) {
    case "text":
      return {
        start: { ...block, text: "" },
        deltas: inPieces(block["text"] as string).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...inPieces(block["thinking"] as string).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block["signature"] },
        ],
      };
    case "tool_use": {
      const json = rawInputs.get(block["id"] as string) ?? JSON.stringify(block["input"]);
      return {
        start: { ...block, input: {} },
        deltas: ["", ...inPieces(json)].map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    }
    case "compaction": {
      // The signature stands in the start event: client libraries take it from nowhere else.
      const { content, encrypted_content } = block;
      return { start: { ...block, content: null }, deltas: [{ type: "compaction_delta", content, encrypted_content }] };
    }
    default:
      return { start: block, deltas: [] };
  }
}
