import type { ConverseStreamOutput } from "@aws-sdk/client-bedrock-runtime";
import { asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { parseInput, toBase64 } from "../content.ts";
import type { StreamPart } from "../provider.ts";
import type { Collector } from "../stream.ts";
import { readUsage } from "./read.ts";
import type { BedrockResponse } from "./wire.ts";

/**
 * Assembles a response from its events. Only tool calls have a start event. Usage comes last, in a separate event, so a
 * response without usage is incomplete. Events and deltas of later API versions are ignored.
 */
export function createStreamCollector(modelId: string): Collector<BedrockEvent, BedrockResponse> {
  const drafts: Draft[] = [];
  let requestId = "";
  let stopReason: string | undefined;
  let usage: JsonObject | undefined;

  function draftAt(index: number, kind: Draft["kind"]): Draft {
    const draft = drafts[index] ?? { kind, text: "", signature: "", call: { toolUseId: "", name: "" } };
    draft.kind = kind;
    drafts[index] = draft;
    return draft;
  }

  function addDelta(index: number, delta: JsonObject): readonly StreamPart[] {
    const text = asString(delta["text"]);
    if (text !== undefined) {
      draftAt(index, "text").text += text;
      return [{ kind: "text", text }];
    }
    const input = asString(asObject(delta["toolUse"])?.["input"]);
    if (input !== undefined) {
      const draft = draftAt(index, "toolUse");
      draft.text += input;
      return input === "" ? [] : [{ kind: "tool_input", id: draft.call.toolUseId, text: input }];
    }
    return addReasoning(index, asObject(delta["reasoningContent"]) ?? {});
  }

  function addReasoning(index: number, { text, signature, redactedContent }: JsonObject): readonly StreamPart[] {
    if (redactedContent instanceof Uint8Array) draftAt(index, "redacted").text += toBase64(redactedContent);
    if (typeof signature === "string") draftAt(index, "reasoning").signature += signature;
    if (typeof text !== "string") return [];
    draftAt(index, "reasoning").text += text;
    return [{ kind: "thinking", text }];
  }

  return {
    add(event) {
      if ("begun" in event && event.begun !== undefined) {
        requestId = event.begun.requestId;
        return [{ kind: "report", responseId: requestId, model: modelId }];
      }
      const { contentBlockStart, contentBlockDelta, messageStop, metadata } = event as ConverseStreamOutput;
      if (contentBlockStart?.start?.toolUse !== undefined) {
        const { toolUseId: id = "", name = "" } = contentBlockStart.start.toolUse;
        draftAt(contentBlockStart.contentBlockIndex ?? 0, "toolUse").call = { toolUseId: id, name };
        return [{ kind: "tool_call", id, name }];
      }
      if (contentBlockDelta !== undefined) {
        return addDelta(contentBlockDelta.contentBlockIndex ?? 0, asObject(contentBlockDelta.delta) ?? {});
      }
      if (messageStop !== undefined) stopReason = messageStop.stopReason;
      if (metadata === undefined) return [];
      usage = asObject(metadata.usage) ?? {};
      return [{ kind: "report", responseId: requestId, model: modelId, usage: readUsage(usage) }];
    },
    whole() {
      if (stopReason === undefined || usage === undefined) return undefined;
      const message = { role: "assistant", content: drafts.filter(Boolean).map(toBlock) };
      return { modelId, output: { message }, stopReason, usage, $metadata: { requestId } };
    },
  };
}

/** An event of the stream. `begun` is the start of the response, which has only headers. */
export type BedrockEvent = ConverseStreamOutput | { readonly begun: { readonly requestId: string } };

/** A content block that is not complete yet. */
interface Draft {
  kind: "text" | "toolUse" | "reasoning" | "redacted";
  text: string;
  signature: string;
  call: { readonly toolUseId: string; readonly name: string };
}

function toBlock({ kind, text, signature, call }: Draft): object {
  switch (kind) {
    case "text":
      return { text };
    case "toolUse":
      return { toolUse: { ...call, input: parseInput(text) } };
    case "reasoning":
      return { reasoningContent: { reasoningText: { text, signature } } };
    case "redacted":
      return { reasoningContent: { redactedContent: text } };
  }
}
