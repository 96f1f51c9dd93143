// Reads generated content, usage and the reason to stop.

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Block } from "palimpsest";
import { parseInput, type ResponseContent } from "palimpsest/provider-parts";
import { asCount, asObject, asString, type JsonObject } from "palimpsest/schema";
import { readAnswerPart } from "./read-part.ts";
import type { AiSdkResponse } from "./wire.ts";

export function readResponse({ content, finishReason, usage, response }: AiSdkResponse): ResponseContent {
  const blocks = content.flatMap((part) => readGenerated(asObject(part) ?? {}));
  return {
    responseId: response?.id ?? "",
    model: response?.modelId ?? "",
    blocks,
    stop: readStop(
      finishReason,
      blocks.some(({ kind }) => kind === "tool_call"),
    ),
    usage: readUsage(usage),
  };
}

/** Reads generated content as the SDK itself sends it back. Sources and requests for approval are not sent back. */
function readGenerated({ providerMetadata, ...part }: JsonObject): readonly Block[] {
  const sent = providerMetadata === undefined ? part : { ...part, providerOptions: providerMetadata };
  switch (part["type"]) {
    case "source":
    case "tool-approval-request":
      return [];
    case "tool-call":
      return readAnswerPart({ ...sent, input: parseInput(asString(part["input"]) ?? "") });
    case "tool-result": {
      const { result, isError, ...rest } = sent as JsonObject;
      const output = { type: isError === true ? "error-json" : "json", value: result };
      return readAnswerPart({ ...rest, output });
    }
    default:
      return readAnswerPart(sent);
  }
}

function readStop({ unified, raw }: AiSdkResponse["finishReason"], hasCalls: boolean): ResponseContent["stop"] {
  if (raw === "pause_turn") return "paused";
  switch (unified) {
    case "stop":
    case "tool-calls":
      return hasCalls ? "tools" : "end";
    case "length":
      return raw === "model_context_window_exceeded" ? "window" : "length";
    case "content-filter":
      return "refused";
    default:
      return "other";
  }
}

/** Reads the usage. If a provider reports only the total of the input, all of it counts as fresh. */
export function readUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ResponseContent["usage"] {
  const [cacheReadTokens, cacheWriteTokens] = [inputTokens.cacheRead, inputTokens.cacheWrite].map(
    (count) => asCount(count) ?? 0,
  ) as [number, number];
  const rest = (asCount(inputTokens.total) ?? 0) - cacheReadTokens - cacheWriteTokens;
  const reasoningTokens = asCount(outputTokens.reasoning);
  return {
    freshTokens: asCount(inputTokens.noCache) ?? Math.max(0, rest),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asCount(outputTokens.total) ?? 0,
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}
