import { createPartialAnswer } from "palimpsest/adapter-parts";
import type { StreamPart } from "palimpsest/provider-parts";
import { asList, asObject, asString } from "palimpsest/schema";
import { createChunkCollector } from "../provider/collect-chunks.ts";
import { readUsage } from "../provider/read-response.ts";

type PartialAnswer = ReturnType<typeof createPartialAnswer>;

export interface HeardAnswer {
  /** Settings of a call, with the callback that hears its answer. */
  settings(given: Readonly<Record<string, unknown>> | undefined): Record<string, unknown>;
  /** What had arrived of an answer that was stopped; undefined for an answer that was not streamed, or had not begun. */
  answer(): ReturnType<PartialAnswer["answer"]>;
}

/**
 * Hears the answer to one call while it is streamed. The framework gives middleware whole answers only, and drops those that are
 * stopped; its callbacks get every chunk. Chunks are only kept, and read if they are needed: whole answers cost nothing.
 */
export function hearAnswer(model: string): HeardAnswer {
  const chunks: unknown[] = [];
  const events: unknown[] = [];
  const callback = {
    // Otherwise callbacks may run later, after the answer was stopped.
    awaitHandlers: true,
    handleLLMNewToken(...[, , , , , fields]: readonly unknown[]) {
      const chunk = asObject(asObject(fields)?.["chunk"])?.["message"];
      if (chunk !== undefined) chunks.push(chunk);
    },
    // Instead of chunks, where an application reads the framework's newer events.
    handleChatModelStreamEvent(event: unknown) {
      events.push(event);
    },
  };
  return {
    settings(given = {}) {
      return { ...given, callbacks: [...(asList(given["callbacks"]) ?? []), callback] };
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

/** The newer events of a stream as parts. Inputs of tool calls come as snapshots, each with all that has arrived. */
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
