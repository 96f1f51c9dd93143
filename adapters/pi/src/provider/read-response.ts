// Reads a whole answer and its usage.

import type { ResponseContent } from "palimpsest/provider-parts";
import type { JsonObject } from "palimpsest/schema";
import { readAnswer } from "./read-messages.ts";
import type { PiResponse } from "./wire.ts";

export function readResponse(message: PiResponse): ResponseContent {
  const { responseId = "", responseModel, model, stopReason, rawStopReason, usage } = message;
  return {
    responseId,
    model: responseModel ?? model,
    blocks: readAnswer(message as unknown as JsonObject),
    stop: rawStopReason === "refusal" ? "refused" : (STOPS[stopReason] ?? "other"),
    usage: readUsage(usage),
  };
}

const STOPS: Readonly<Record<string, ResponseContent["stop"]>> = { stop: "end", length: "length", toolUse: "tools" };

export function readUsage(usage: PiResponse["usage"]): ResponseContent["usage"] {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = usage;
  return {
    freshTokens: input,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    ...(cacheWrite1h ? { cacheWrite1hTokens: cacheWrite1h } : {}),
    outputTokens: output,
    ...(reasoning ? { reasoningTokens: reasoning } : {}),
  };
}
