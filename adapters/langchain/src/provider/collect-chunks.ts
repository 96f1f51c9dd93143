// Assembles an answer from its chunks.

import type { AIMessageChunk } from "langchain";
import type { Collector, StreamPart } from "palimpsest/provider-parts";
import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { isCut, readResponse, readUsage } from "./read-response.ts";
import type { LangChainResponse } from "./wire.ts";

/** Assembles an answer from its chunks. */
export function createChunkCollector(model: string): Collector<unknown, LangChainResponse> {
  let whole: AIMessageChunk | undefined;
  const callIds = new Map<unknown, string>();

  function shownCalls(chunk: JsonObject): readonly StreamPart[] {
    return (asList(chunk["tool_call_chunks"]) ?? []).flatMap((value): readonly StreamPart[] => {
      const { id, name, args, index } = asObject(value) ?? {};
      const [newId, text] = [asString(id), asString(args) ?? ""];
      if (newId !== undefined) callIds.set(index, newId);
      const callId = callIds.get(index) ?? "";
      return [
        ...(newId === undefined ? [] : [{ kind: "tool_call" as const, id: newId, name: asString(name) ?? "" }]),
        ...(text === "" ? [] : [{ kind: "tool_input" as const, id: callId, text }]),
      ];
    });
  }

  function report({ usage_metadata }: JsonObject): readonly StreamPart[] {
    if (usage_metadata === undefined || whole === undefined) return [];
    const { responseId, model: answered } = readResponse({ message: whole, model });
    const { outputTokens: _, ...usage } = readUsage(whole.usage_metadata);
    return [{ kind: "report", responseId, model: answered, usage }];
  }

  return {
    add(value) {
      const chunk = value as AIMessageChunk;
      whole = whole === undefined ? chunk : whole.concat(chunk);
      const fields = chunk as unknown as JsonObject;
      return [...shownTexts(fields["content"]), ...shownCalls(fields), ...report(fields)];
    },
    whole() {
      if (whole === undefined || isCut(whole as unknown as JsonObject)) return undefined;
      return { message: whole, model };
    },
  };
}

function shownTexts(content: unknown): readonly StreamPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return (asList(content) ?? []).flatMap((value): readonly StreamPart[] => {
    const { type, text, thinking } = asObject(value) ?? {};
    const piece = asString(type === "thinking" ? thinking : text) ?? "";
    if (piece === "") return [];
    return [{ kind: type === "thinking" ? "thinking" : "text", text: piece }];
  });
}
