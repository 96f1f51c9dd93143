import type OpenAI from "openai";
import { asList, asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import type { ResponseReport, StreamPart } from "../../provider.ts";
import type { Collector } from "../../stream.ts";
import type { ChatResponse } from "../facts.ts";
import { readUsage } from "./read.ts";

/**
 * Assembles a completion from its chunks. Servers differ: usage comes with the last chunk, with every chunk or never,
 * and tool calls have different indexes, or only different ids.
 */
export function createStreamCollector(): Collector<OpenAI.Chat.ChatCompletionChunk, ChatResponse> {
  let head: JsonObject = {};
  let usage: unknown;
  let finishReason: unknown;
  const texts = { content: "", refusal: "", reasoning_content: "" };
  const calls: Call[] = [];
  const callAt = new Map<number, Call>();

  function addCall(delta: JsonObject): readonly StreamPart[] {
    const { index, id: givenId } = delta;
    const called = asObject(delta["function"]) ?? {};
    const [id, name, text] = [asText(givenId), asText(called["name"]), asText(called["arguments"])];
    const place = typeof index === "number" ? index : calls.length - (id === "" ? 1 : 0);
    let call = callAt.get(place);
    const parts: StreamPart[] = [];
    // A new id with a name starts another call, even at the same index.
    if (call === undefined || (name !== "" && call.name !== "" && call.id !== id)) {
      call = { id, name, text: "" };
      calls.push(call);
      callAt.set(place, call);
      parts.push({ kind: "tool_call", id, name });
    }
    call.text += text;
    if (text !== "") parts.push({ kind: "tool_input", id: call.id, text });
    return parts;
  }

  function addText(field: keyof typeof texts, kind: "text" | "thinking", value: unknown): readonly StreamPart[] {
    const text = asText(value);
    texts[field] += text;
    return text === "" ? [] : [{ kind, text }];
  }

  return {
    add(chunk) {
      const { choices, usage: counted, ...rest } = chunk;
      const isFirst = Object.keys(head).length === 0;
      head = { ...rest, ...head };
      usage = counted ?? usage;
      const choice = asObject(choices?.[0]);
      finishReason = choice?.["finish_reason"] ?? finishReason;
      const delta = asObject(choice?.["delta"]) ?? {};
      return [
        ...(isFirst || counted ? [reportOf(head, asObject(usage))] : []),
        ...addText("reasoning_content", "thinking", delta["reasoning_content"] ?? delta["reasoning"]),
        ...addText("content", "text", delta["content"]),
        ...addText("refusal", "text", delta["refusal"]),
        ...(asList(delta["tool_calls"]) ?? []).flatMap((call) => addCall(asObject(call) ?? {})),
      ];
    },
    whole() {
      if (finishReason === undefined) return undefined;
      const { content, refusal, reasoning_content } = texts;
      const tool_calls = calls.map(({ id, name, text }) => ({
        id,
        type: "function",
        function: { name, arguments: text },
      }));
      const message = {
        role: "assistant",
        content: content === "" && calls.length > 0 ? null : content,
        refusal: refusal === "" ? null : refusal,
        ...(reasoning_content === "" ? {} : { reasoning_content }),
        ...(calls.length === 0 ? {} : { tool_calls }),
      };
      const completion: object = { ...head, choices: [{ index: 0, message, finish_reason: finishReason }], usage };
      return completion as ChatResponse;
    },
  };
}

interface Call {
  readonly id: string;
  readonly name: string;
  text: string;
}

function reportOf({ id, model }: JsonObject, usage: JsonObject | undefined): ResponseReport {
  const report = { kind: "report", responseId: asText(id), model: asText(model) } as const;
  return usage === undefined ? report : { ...report, usage: readUsage(usage) };
}

function asText(value: unknown): string {
  return asString(value) ?? "";
}
