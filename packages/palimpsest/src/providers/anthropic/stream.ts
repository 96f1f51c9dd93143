import type Anthropic from "@anthropic-ai/sdk";
import { asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { parseInput } from "../content.ts";
import type { ResponseReport, StreamPart } from "../provider.ts";
import type { Collector } from "../stream.ts";
import type { AnthropicResponse } from "./facts.ts";
import { readUsage } from "./read.ts";

/**
 * Assembles a message from its stream events. The client's own collector completes broken JSON of a tool input without
 * notice and drops unknown fields; this collector keeps both unchanged in a message that is whole. Of a broken stream, nothing is kept. It ignores events and deltas of later API
 * versions.
 */
export function createStreamCollector(): Collector<Anthropic.MessageStreamEvent, AnthropicResponse> {
  let message: Record<string, unknown> = {};
  let ending: "open" | "whole" = "open";
  const blocks: Record<string, unknown>[] = [];
  const inputs = new Map<number, string>();

  function addDelta(index: number, delta: JsonObject): readonly StreamPart[] {
    const block = blocks[index] ?? {};
    switch (delta["type"]) {
      case "text_delta":
        return [{ kind: "text", text: append(block, "text", delta["text"]) }];
      case "thinking_delta":
        return [{ kind: "thinking", text: append(block, "thinking", delta["thinking"]) }];
      case "signature_delta":
        block["signature"] = delta["signature"];
        return [];
      case "citations_delta":
        block["citations"] = [...((block["citations"] as unknown[] | null | undefined) ?? []), delta["citation"]];
        return [];
      case "compaction_delta":
        block["content"] = delta["content"];
        block["encrypted_content"] = delta["encrypted_content"];
        return [];
      case "input_json_delta": {
        const text = asString(delta["partial_json"]) ?? "";
        inputs.set(index, (inputs.get(index) ?? "") + text);
        return block["type"] === "tool_use" && text !== "" ? [{ kind: "tool_input", id: idOf(block), text }] : [];
      }
      default:
        return [];
    }
  }

  return {
    add(event) {
      switch (event.type) {
        case "message_start":
          message = { ...event.message };
          // Here the output count is a placeholder, because the model has not written anything yet.
          return [reportOf(message, "not-counted")];
        case "content_block_start": {
          const block: Record<string, unknown> = { ...event.content_block };
          blocks[event.index] = block;
          return block["type"] === "tool_use"
            ? [{ kind: "tool_call", id: idOf(block), name: asString(block["name"]) ?? "" }]
            : [];
        }
        case "content_block_delta":
          return addDelta(event.index, { ...event.delta });
        case "content_block_stop": {
          const text = inputs.get(event.index);
          if (text) (blocks[event.index] ?? {})["input"] = parseInput(text);
          return [];
        }
        case "message_delta": {
          const { type: _, delta, usage, ...fields } = event;
          message = {
            ...message,
            ...fields,
            ...present(delta),
            usage: { ...asObject(message["usage"]), ...present(usage) },
          };
          return [reportOf(message, "counted")];
        }
        case "message_stop":
          ending = "whole";
          return [];
        default:
          return [];
      }
    },
    whole() {
      if (ending !== "whole") return undefined;
      const response: object = { ...message, content: blocks.filter(Boolean) };
      return response as AnthropicResponse;
    },
  };
}

function reportOf({ id, model, usage }: JsonObject, output: "counted" | "not-counted"): ResponseReport {
  const { outputTokens, ...input } = readUsage(asObject(usage) ?? {});
  return {
    kind: "report",
    responseId: asString(id) ?? "",
    model: asString(model) ?? "",
    usage: output === "counted" ? { ...input, outputTokens } : input,
  };
}

function append(block: Record<string, unknown>, field: string, piece: unknown): string {
  const text = asString(piece) ?? "";
  block[field] = (asString(block[field]) ?? "") + text;
  return text;
}

function idOf(block: JsonObject): string {
  return asString(block["id"]) ?? "";
}

/** Drops absent counts and fields, so that they keep the values of earlier events. */
function present(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
