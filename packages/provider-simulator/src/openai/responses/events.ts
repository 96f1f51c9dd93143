import type { ServerSentEvent } from "../../http-face.ts";
import { inPieces } from "../../in-pieces.ts";
import type { Problem } from "../problem.ts";
import type { OutputItem, OutputPart } from "./output.ts";
import type { ResponseObject } from "./response-object.ts";

export interface EventOptions {
  /** Filler that hides the length of deltas from onlookers; on by default at the service. */
  readonly obfuscation: "included" | "left-out";
}

type EventBody = { readonly type: string; readonly [field: string]: unknown };

/** A finished response as the events in which it would have arrived. */
export function toEvents(draft: ResponseObject, finished: ResponseObject, options: EventOptions): ServerSentEvent[] {
  const bodies: EventBody[] = [
    { type: "response.created", response: draft },
    { type: "response.in_progress", response: draft },
  ];
  for (const [outputIndex, item] of finished.output.entries()) bodies.push(...itemEvents(item, outputIndex, options));
  bodies.push({ type: `response.${finished.status}`, response: finished });
  return numbered(bodies);
}

/** An error inside a stream that began with HTTP 200: dyad#1672 shows it as the third event. */
export function toErrorEvents(draft: ResponseObject, problem: Problem): ServerSentEvent[] {
  const begun = numbered([
    { type: "response.created", response: draft },
    { type: "response.in_progress", response: draft },
  ]);
  return [...begun, toErrorEvent(problem, begun.length)];
}

/** An error at its place in a stream. */
export function toErrorEvent({ type, code, message, param }: Problem, index: number): ServerSentEvent {
  const error = { type, code, message, param };
  return { event: "error", data: JSON.stringify({ type: "error", sequence_number: index, error }) };
}

function numbered(bodies: readonly EventBody[]): ServerSentEvent[] {
  return bodies.map((body, index) => {
    const { type, ...rest } = body;
    return { event: type, data: JSON.stringify({ type, sequence_number: index, ...rest }) };
  });
}

function itemEvents(item: OutputItem, outputIndex: number, options: EventOptions): EventBody[] {
  const place = { item_id: item.id, output_index: outputIndex };
  const inside = (): EventBody[] => {
    switch (item.type) {
      case "message":
        return item.content.flatMap((part, index) => partEvents(part, { ...place, content_index: index }, options));
      case "function_call":
        return argumentEvents(item.arguments, place, options);
      case "reasoning":
        return item.summary.flatMap(({ text }, index) =>
          summaryEvents(text, { ...place, summary_index: index }, options),
        );
      case "tool_search_call":
        return [];
      case "compaction":
        return [{ type: "response.compaction.compacting", ...place }];
    }
  };
  return [
    { type: "response.output_item.added", output_index: outputIndex, item: begun(item) },
    ...inside(),
    { type: "response.output_item.done", output_index: outputIndex, item },
  ];
}

/** The item as it is announced: still empty. Sealed content is cut short, as the service warns it may be. */
function begun(item: OutputItem): object {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "reasoning":
      return { ...item, summary: [], encrypted_content: item.encrypted_content.slice(0, 16) };
    case "tool_search_call":
      return { ...item, status: "in_progress", arguments: {} };
    case "compaction":
      return { ...item, encrypted_content: item.encrypted_content.slice(0, 16) };
  }
}

function partEvents(part: OutputPart, place: object, options: EventOptions): EventBody[] {
  const refused = part.type === "refusal";
  const text = refused ? part.refusal : part.text;
  const name = refused ? "response.refusal" : "response.output_text";
  const logprobs = refused ? {} : { logprobs: [] };
  const empty = refused ? { ...part, refusal: "" } : { ...part, text: "" };
  return [
    { type: "response.content_part.added", ...place, part: empty },
    ...deltas(`${name}.delta`, text, { ...place, ...logprobs }, options),
    { type: `${name}.done`, ...place, ...(refused ? { refusal: text } : { text, logprobs: [] }) },
    { type: "response.content_part.done", ...place, part },
  ];
}

function argumentEvents(text: string, place: object, options: EventOptions): EventBody[] {
  return [
    ...deltas("response.function_call_arguments.delta", text, place, options),
    { type: "response.function_call_arguments.done", ...place, arguments: text },
  ];
}

function summaryEvents(text: string, place: object, options: EventOptions): EventBody[] {
  const part = { type: "summary_text", text };
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
    ...deltas("response.reasoning_summary_text.delta", text, place, options),
    { type: "response.reasoning_summary_text.done", ...place, text },
    { type: "response.reasoning_summary_part.done", ...place, part },
  ];
}

const OBFUSCATED_LENGTH = 32;

function deltas(type: string, text: string, place: object, { obfuscation }: EventOptions): EventBody[] {
  return inPieces(text).map((delta) => {
    const filler = "x".repeat(Math.max(0, OBFUSCATED_LENGTH - delta.length));
    return { type, ...place, delta, ...(obfuscation === "included" ? { obfuscation: filler } : {}) };
  });
}
