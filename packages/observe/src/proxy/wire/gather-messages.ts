import { asCount, asObject, asString, type JsonObject } from "palimpsest/schema";
import { toResponse, type WireResponse } from "./wire-response.ts";

/** Puts the events of a streamed message together. Undefined: the stream has no message. */
export function gatherMessages(events: readonly JsonObject[]): WireResponse | undefined {
  const started = asObject(events.find(({ type }) => type === "message_start")?.["message"]);
  if (started === undefined) return undefined;
  const blocks = new Map<number, Record<string, unknown>>();
  const inputs = new Map<number, string>();
  let usage: JsonObject = asObject(started["usage"]) ?? {};
  let ended: WireResponse["ended"] = "cut";
  for (const event of events) {
    const index = asCount(event["index"]) ?? 0;
    switch (event["type"]) {
      case "content_block_start":
        blocks.set(index, { ...asObject(event["content_block"]) });
        break;
      case "content_block_delta":
        addDelta(asObject(event["delta"]) ?? {}, blocks.get(index), (json) =>
          inputs.set(index, `${inputs.get(index) ?? ""}${json}`),
        );
        break;
      case "message_delta":
        usage = merge(usage, asObject(event["usage"]) ?? {});
        break;
      case "message_stop":
        ended = "whole";
        break;
    }
  }
  for (const [index, json] of inputs) {
    const block = blocks.get(index);
    if (block !== undefined) block["input"] = parse(json);
  }
  return toResponse({ ...started, usage }, [{ role: "assistant", content: [...blocks.values()] }], ended);
}

function addDelta(
  delta: JsonObject,
  block: Record<string, unknown> | undefined,
  addInput: (json: string) => void,
): void {
  if (block === undefined) return;
  const name = TEXT_DELTAS[asString(delta["type"]) ?? ""];
  if (name !== undefined) block[name] = `${asString(block[name]) ?? ""}${asString(delta[name]) ?? ""}`;
  else if (delta["type"] === "input_json_delta") addInput(asString(delta["partial_json"]) ?? "");
}

/** The field that a delta adds to. */
const TEXT_DELTAS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
};

/** Counts of a delta are sums so far. A count that is null there stays as it was. */
function merge(before: JsonObject, now: JsonObject): JsonObject {
  const known = Object.entries(now).filter(([, value]) => value !== null);
  return { ...before, ...Object.fromEntries(known) };
}

function parse(json: string): unknown {
  try {
    return json === "" ? {} : JSON.parse(json);
  } catch {
    return json;
  }
}
