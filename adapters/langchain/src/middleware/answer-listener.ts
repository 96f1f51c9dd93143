// Collects a streamed answer through callbacks, so that an interrupted answer can be recorded.

import { createPartialAnswer } from "palimpsest/adapter-parts";
import type { StreamPart } from "palimpsest/provider-parts";
import { asList, asObject, asString } from "palimpsest/schema";
import { createChunkCollector } from "../provider/collect-chunks.ts";
import { readUsage } from "../provider/read-response.ts";

type PartialAnswer = ReturnType<typeof createPartialAnswer>;

export interface AnswerListener {
  /** Returns the settings of a call with the listening callback added. */
  settings(settings: Readonly<Record<string, unknown>> | undefined): Record<string, unknown>;
  /** Returns the part of an interrupted answer that arrived; undefined if the answer was not streamed or had not begun. */
  answer(): ReturnType<PartialAnswer["answer"]>;
}

/**
 * Listens to the answer to one call while it is streamed. The framework gives middleware only whole answers and drops
 * interrupted ones, but its callbacks get every chunk. The listener stores the chunks, and reads them only after an interruption.
 */
export function listenToAnswer(model: string): AnswerListener {
  const chunks: unknown[] = [];
  const events: unknown[] = [];
  const callback = {
    // Without this option, callbacks may run after the answer was interrupted.
    awaitHandlers: true,
    handleLLMNewToken(...[, , , , , fields]: readonly unknown[]) {
      const chunk = asObject(asObject(fields)?.["chunk"])?.["message"];
      if (chunk !== undefined) chunks.push(chunk);
    },
    // The framework calls this method instead if an application reads its newer events.
    handleChatModelStreamEvent(event: unknown) {
      events.push(event);
    },
  };
  return {
    settings(callSettings = {}) {
      return { ...callSettings, callbacks: [...(asList(callSettings["callbacks"]) ?? []), callback] };
    },
    answer() {
      const partial = createPartialAnswer();
      const collector = createChunkCollector(model);
      for (const part of chunks.flatMap((chunk) => collector.add(chunk))) partial.add(part);
      for (const part of readStreamEvents(events, model)) partial.add(part);
      return partial.answer();
    },
  };
}

/** Converts the framework's newer events to parts. Inputs of tool calls are snapshots: each has the whole input so far. */
function readStreamEvents(events: readonly unknown[], model: string): readonly StreamPart[] {
  const inputs = new Map<unknown, { readonly id: string; readonly text: string }>();
  let responseId = "";

  function readInput(index: unknown, value: unknown): readonly StreamPart[] {
    const { type, id, name, args } = asObject(value) ?? {};
    if (type !== "tool_call_chunk" && type !== "tool_call") return [];
    const before = inputs.get(index);
    const known = before ?? { id: asString(id) ?? "", text: "" };
    const text = asString(args) ?? known.text;
    inputs.set(index, { id: known.id, text });
    const begun =
      before === undefined ? [{ kind: "tool_call" as const, id: known.id, name: asString(name) ?? "" }] : [];
    const added = text.slice(known.text.length);
    return added === "" ? begun : [...begun, { kind: "tool_input", id: known.id, text: added }];
  }

  function readDelta(index: unknown, value: unknown): readonly StreamPart[] {
    const { type, text, reasoning, fields } = asObject(value) ?? {};
    if (type === "text-delta") return [{ kind: "text", text: asString(text) ?? "" }];
    if (type === "reasoning-delta") return [{ kind: "thinking", text: asString(reasoning) ?? "" }];
    return readInput(index, fields);
  }

  return events.flatMap((value): readonly StreamPart[] => {
    const { event, id, usage, index, content, delta } = asObject(value) ?? {};
    responseId = asString(id) ?? responseId;
    const { outputTokens: _, ...reported } = readUsage(usage);
    const report: StreamPart = { kind: "report", responseId, model, usage: reported };
    return [
      ...(usage === undefined ? [] : [report]),
      ...(event === "content-block-start" ? readInput(index, content) : []),
      ...(event === "content-block-delta" ? readDelta(index, delta) : []),
    ];
  });
}
