// Assembles a result from the parts of a stream.

import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Collector, StreamPart } from "palimpsest/provider-parts";
import { readUsage } from "./read-response.ts";
import { toClientError } from "./to-client-error.ts";
import type { AiSdkResponse } from "./wire.ts";

type Metadata = Extract<LanguageModelV4StreamPart, { type: "text-start" }>["providerMetadata"];
type Writing = { type: "text" | "reasoning"; text: string; providerMetadata?: NonNullable<Metadata> };

/** Assembles the result of a stream, in the form that `doGenerate` returns. */
export function createStreamCollector(): Collector<LanguageModelV4StreamPart, AiSdkResponse> {
  const content: LanguageModelV4Content[] = [];
  const writing = new Map<string, Writing>();
  const begun = new Set<string>();
  let response: NonNullable<AiSdkResponse["response"]> = {};
  let finished: Pick<AiSdkResponse, "finishReason" | "usage" | "providerMetadata"> | undefined;

  function write(type: Writing["type"], id: string, text: string, metadata: Metadata): readonly StreamPart[] {
    const key = `${type} ${id}`;
    const known = writing.get(key);
    const block: Writing = known ?? { type, text: "" };
    if (known === undefined) {
      writing.set(key, block);
      content.push(block);
    }
    block.text += text;
    // A signature comes last, together with an empty piece.
    if (metadata !== undefined) block.providerMetadata = metadata;
    return text === "" ? [] : [{ kind: type === "text" ? "text" : "thinking", text }];
  }

  function begin(id: string, name: string): readonly StreamPart[] {
    if (begun.has(id)) return [];
    begun.add(id);
    return [{ kind: "tool_call", id, name }];
  }

  function report(): readonly StreamPart[] {
    const { id: responseId = "", modelId: model = "" } = response;
    return [{ kind: "report", responseId, model, ...(finished && { usage: readUsage(finished.usage) }) }];
  }

  return {
    add(part) {
      switch (part.type) {
        case "text-start":
        case "text-end":
          return write("text", part.id, "", part.providerMetadata);
        case "text-delta":
          return write("text", part.id, part.delta, part.providerMetadata);
        case "reasoning-start":
        case "reasoning-end":
          return write("reasoning", part.id, "", part.providerMetadata);
        case "reasoning-delta":
          return write("reasoning", part.id, part.delta, part.providerMetadata);
        case "tool-input-start":
          return part.providerExecuted === true ? [] : begin(part.id, part.toolName);
        case "tool-input-delta":
          return begun.has(part.id) ? [{ kind: "tool_input", id: part.id, text: part.delta }] : [];
        case "tool-call":
          content.push(part);
          return part.providerExecuted === true ? [] : begin(part.toolCallId, part.toolName);
        case "tool-result":
          if (part.preliminary !== true) content.push(part);
          return [];
        case "tool-approval-request":
        case "custom":
        case "file":
        case "reasoning-file":
        case "source":
          content.push(part);
          return [];
        case "response-metadata": {
          const { type: _, ...metadata } = part;
          response = { ...response, ...metadata };
          return report();
        }
        case "finish": {
          const { type: _, ...end } = part;
          finished = end;
          return report();
        }
        case "error":
          throw toClientError(part.error);
        default:
          return [];
      }
    },
    whole() {
      const isCut = finished !== undefined && isInterrupted(finished.finishReason);
      return finished === undefined || isCut ? undefined : { content, ...finished, response };
    },
  };
}

/** Whether the stream was cut. Then the SDK's provider sets the reason to stop, because the service sent none. Old ones set `other`. */
function isInterrupted({ unified, raw }: AiSdkResponse["finishReason"]): boolean {
  return unified === "interrupted" || (unified === "other" && raw === undefined);
}
