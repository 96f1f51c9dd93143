import { asCount, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import type { ResponseContent } from "../provider.ts";
import { toUsage } from "../to-usage.ts";
import { readParts } from "./read.ts";
import type { GeminiResponse } from "./wire.ts";

export function readResponse(response: GeminiResponse): ResponseContent {
  const responseId = response.responseId ?? "";
  const candidate = asObject(response.candidates?.[0]);
  const blocks = readParts(asObject(candidate?.["content"])?.["parts"], (index) => callIdOf(responseId, index));
  const hasCalls = blocks.some(({ kind }) => kind === "tool_call");
  return {
    responseId,
    model: response.modelVersion ?? "",
    blocks,
    stop: candidate === undefined ? "refused" : readStop(candidate["finishReason"], hasCalls),
    usage: readUsage(asObject(response.usageMetadata) ?? {}),
  };
}

/** The id of a call that the service gave none. */
export function callIdOf(responseId: string, index: number): string {
  return `${responseId.replace(/[^\w-]/g, "")}-${index}`;
}

/** `CONTINUATION`: the answer is longer than one response holds. It counts as cut, because only the client's own loop can resume it. */
function readStop(reason: unknown, hasCalls: boolean): ResponseContent["stop"] {
  switch (asString(reason)) {
    case "STOP":
      return hasCalls ? "tools" : "end";
    case "MAX_TOKENS":
    case "CONTINUATION":
      return "length";
    case "SAFETY":
    case "RECITATION":
    case "LANGUAGE":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
      return "refused";
    default:
      return "other";
  }
}

/** The prompt's count includes what was cached; thoughts are counted beside the candidates, and both are output. */
export function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const thoughts = asCount(usage["thoughtsTokenCount"]) ?? 0;
  return toUsage({
    input: (asCount(usage["promptTokenCount"]) ?? 0) + (asCount(usage["toolUsePromptTokenCount"]) ?? 0),
    cacheRead: usage["cachedContentTokenCount"],
    cacheWrite: 0,
    output: (asCount(usage["candidatesTokenCount"]) ?? 0) + thoughts,
    reasoning: thoughts,
  });
}
