import { asCount, asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { toResponse, type WireResponse } from "./wire-response.ts";

interface Call {
  readonly id: string;
  readonly type: "function";
  readonly function: { name: string; arguments: string };
}

/** Puts the chunks of a streamed chat completion together. Undefined: no chunk has an answer. */
export function gatherChat(chunks: readonly JsonObject[]): WireResponse | undefined {
  let content = "";
  const calls = new Map<number, Call>();
  let ended: WireResponse["ended"] = "cut";
  for (const chunk of chunks) {
    const choice = asObject(asList(chunk["choices"])?.[0]);
    const delta = asObject(choice?.["delta"]);
    content += asString(delta?.["content"]) ?? "";
    for (const part of asList(delta?.["tool_calls"]) ?? []) addCall(calls, asObject(part) ?? {});
    if (asString(choice?.["finish_reason"]) !== undefined) ended = "whole";
  }
  const [first] = chunks;
  if (first === undefined || (ended === "cut" && content === "" && calls.size === 0)) return undefined;
  // Only where the client asked for it, in a chunk of its own.
  const usage = chunks.findLast((chunk) => asObject(chunk["usage"]) !== undefined)?.["usage"];
  const made = calls.size === 0 ? {} : { tool_calls: [...calls.values()] };
  return toResponse({ ...first, usage }, [{ role: "assistant", content, ...made }], ended);
}

function addCall(calls: Map<number, Call>, part: JsonObject): void {
  const index = asCount(part["index"]) ?? 0;
  const made = asObject(part["function"]);
  const call = calls.get(index) ?? {
    id: asString(part["id"]) ?? "",
    type: "function",
    function: { name: "", arguments: "" },
  };
  call.function.name += asString(made?.["name"]) ?? "";
  call.function.arguments += asString(made?.["arguments"]) ?? "";
  calls.set(index, call);
}
